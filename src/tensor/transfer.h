// Transfer: a copy from a device that the host need not wait for at once.
#pragma once

#include <functional>
#include <utility>

namespace nmt {

/// A copy that may still be under way. It is waited for at the latest when this goes.
class Transfer {
 public:
  /// One that is done.
  Transfer() = default;
  /// One that is done when `wait` returns.
  explicit Transfer(std::function<void()> wait) : wait_(std::move(wait)) {}
  Transfer(Transfer&& other) noexcept : wait_(std::exchange(other.wait_, nullptr)) {}
  Transfer& operator=(Transfer&& other) noexcept {
    std::swap(wait_, other.wait_);
    return *this;
  }
  ~Transfer() {
    try {
      wait();
    } catch (...) {  // nobody wants to know what has arrived
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
