// Memory that a library works in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "tensor/tensor.h"

namespace nmt::cuda {

constexpr std::size_t kSpaceAlignment = 256;  // that of cudaMalloc

/// The bytes of a space that the next one follows.
constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kSpaceAlignment - 1) / kSpaceAlignment * kSpaceAlignment;
}

/// What lies at this address, which the tensor does not own.
inline Tensor view(void* data, std::int64_t rows, std::int64_t columns, DType dtype) {
  return {rows, columns, dtype, data, std::shared_ptr<void>(std::shared_ptr<void>(), data)};
}

/// Aligned spaces, one after the other, in some memory. All together may take up to kSpaceAlignment bytes
/// more.
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
