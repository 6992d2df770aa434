// What the program lends to the plugin.
#pragma once

namespace nmt {

/// Tells the user, in one line, of what goes on but is slower than it might be.
using Warn = void (*)(const char* line);

/// Tells what is in the way of going on, and ends the process: calls that a card does not answer do not
/// return, and neither do the threads that make them.
using GiveUp = void (*)(const char* line);

}  // namespace nmt
