// What the program lends to the plugin.
#pragma once

namespace nmt {

/// Tells the user, in one line, of what goes on but is slower than it might be.
using Warn = void (*)(const char* line);

}  // namespace nmt
