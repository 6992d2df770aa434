// Errors that a user can act on. Every message is one line: what is wrong, where, and what to do. Settings
// are written in backticks, as in YAML (`max_length`); the command line shows them as options.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace nmt {

/// A failure of the work itself (a damaged file, a full disk). The program exits with code 1.
class Error : public std::runtime_error {
 public:
  template <class... Args>
  explicit Error(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

/// Wrong usage or configuration (an unknown option, a value out of range). The program exits with code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Describes the errno of a failed system call and says what to do: specific advice for a full disk and for
/// too many open files, otherwise `advice` if it is not empty.
std::string system_message(int code, std::string_view advice = "");

}  // namespace nmt
