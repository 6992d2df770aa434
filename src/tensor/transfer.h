// Transfer: a copy from a device for which the host need not wait at once.
#pragma once

#include <functional>
#include <utility>

namespace nmt {

/// A copy that may still be in progress. The destructor waits for it.
class Transfer {
 public:
  /// Constructs a finished transfer.
  Transfer() = default;
  /// Constructs a transfer that is done when `wait` returns.
  explicit Transfer(std::function<void()> wait) : wait_(std::move(wait)) {}
  Transfer(Transfer&& other) noexcept : wait_(std::exchange(other.wait_, nullptr)) {}
  Transfer& operator=(Transfer&& other) noexcept {
    std::swap(wait_, other.wait_);
    return *this;
  }
  ~Transfer() {
    try {
      wait();
    } catch (...) {  // nobody needs the result
    }
  }

  /// Returns when the copy is done.
  void wait() {
    if (const auto wait = std::exchange(wait_, nullptr)) wait();
  }

 private:
  std::function<void()> wait_;
};

}  // namespace nmt
