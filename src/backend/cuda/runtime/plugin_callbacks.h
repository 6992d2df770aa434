// What the plugin calls of the program.
#pragma once

#include <functional>
#include <string>

namespace nmt {

/// Tells the user, in one line, of what goes on but is slower than it might be.
using Warn = std::function<void(const std::string& line)>;

/// Is told what is in the way of going on: calls that a card does not answer do not return, and neither do
/// the threads that make them.
using AbortProcess = std::function<void(const std::string& line)>;

}  // namespace nmt
