// Memory in which a library works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "tensor/tensor.h"

namespace nmt::cuda {

constexpr std::size_t kSpaceAlignment = 256;  // as in cudaMalloc

/// Returns the bytes of a space, rounded up so that the next one is aligned.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kSpaceAlignment - 1) / kSpaceAlignment * kSpaceAlignment;
}

/// Returns a tensor at this address that does not own the memory.
inline Tensor view(void* data, std::int64_t rows, std::int64_t columns, DType dtype) {
  return {rows, columns, dtype, data, std::shared_ptr<void>(std::shared_ptr<void>(), data)};
}

/// Hands out aligned spaces, one after the other, from a block of memory. Together they may take up to
/// kSpaceAlignment bytes more.
class Spaces {
 public:
  explicit Spaces(void* memory) : next_(static_cast<std::byte*>(memory)) {
    const auto address = reinterpret_cast<std::uintptr_t>(next_);
    next_ += aligned(address) - address;
  }
  template <class T = void>
  T* take(std::size_t bytes) {
    return static_cast<T*>(static_cast<void*>(std::exchange(next_, next_ + aligned(bytes))));
  }

 private:
  std::byte* next_;
};

}  // namespace nmt::cuda
