// Callbacks of the plugin into the program, without headers that nvcc cannot compile.
#pragma once

#include <functional>
#include <string>

namespace nmt {

/// Warns the user, in one line, about something that works but is slower than possible.
using Warn = std::function<void(const std::string& line)>;

/// Reports why the process cannot continue: calls that a GPU does not answer do not return, and neither do
/// the threads that make them.
using AbortProcess = std::function<void(const std::string& line)>;

}  // namespace nmt
