// Attention and recurrent layers computed by a library, if that is enabled, and the memory in which it
// works.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "backend/cuda/runtime/plugin_callbacks.h"
#include "backend/cuda/runtime/stream.h"
#include "tensor/operations/attention.h"
#include "tensor/operations/recurrent.h"
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

/// Returns device memory that is valid until the next operation.
using Scratch = std::function<void*(std::size_t bytes)>;

class FusedAttention {
 public:
  virtual ~FusedAttention() = default;

  /// Computes attention in device memory obtained from `scratch`; returns false and does nothing if the
  /// library does not support this case.
  virtual bool run(const Attention& attention, const Scratch& scratch) = 0;
  virtual bool run(const AttentionBackward& attention, const Scratch& scratch) = 0;

 protected:
  FusedAttention() = default;
  FusedAttention(const FusedAttention&) = default;
  FusedAttention& operator=(const FusedAttention&) = default;
};

/// Returns cuDNN's attention, whose graphs compute attention over sequences of at least `from` positions, in
/// 16 bits, without dropout and without the weights as a result. Null if `from` is 0 or nmt was built without
/// cuDNN. The stream must outlive it; `warn` receives a warning about what cuDNN does not compute.
std::unique_ptr<FusedAttention> open_cudnn_attention(Stream& stream, int from, const Warn& warn);

/// Returns the recurrent layers of a GPU, which use its `stream` and which it must outlive; null if nmt was
/// built without cuDNN. `tf32`: as for MatrixProducts. `warn` receives a warning about layers that cuDNN does
/// not compute, and why. cuDNN is opened for the first layer.
std::unique_ptr<FusedRecurrentLayers> open_cudnn_layers(Stream& stream, bool tf32, const Warn& warn);

}  // namespace nmt::cuda
