// Errors of requests.
#pragma once

#include <string>
#include <utility>

#include "common/error.h"

namespace nmt {

/// Returns a text with \x00 for each NUL character, which would end what() of an error.
inline std::string with_escaped_nul(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '\0' ? std::string("\\x00") : std::string(1, c);
  return escaped;
}

/// The error that rejects a request, with the HTTP status of the answer.
class CallError : public Error {
 public:
  template <class... Args>
  explicit CallError(int status, fmt::format_string<Args...> format, Args&&... args)
      : Error("{}", with_escaped_nul(fmt::format(format, std::forward<Args>(args)...))), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// The error for a method that a path does not support (405).
class WrongMethod : public CallError {
 public:
  /// `allowed`: the methods that the path supports, separated by commas.
  WrongMethod(const std::string& path, const std::string& method, std::string allowed)
      : CallError(405, "{} is not for {} but for {}", path, method, allowed), allowed_(std::move(allowed)) {}
  const std::string& allowed() const { return allowed_; }

 private:
  std::string allowed_;
};

}  // namespace nmt
