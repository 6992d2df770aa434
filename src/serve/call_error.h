// What is wrong with a request.
#pragma once

#include <utility>

#include "common/error.h"

namespace nmt {

/// Why a request is refused, with the status of the answer.
class CallError : public Error {
 public:
  template <class... Args>
  explicit CallError(int status, fmt::format_string<Args...> format, Args&&... args)
      : Error(format, std::forward<Args>(args)...), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

}  // namespace nmt
