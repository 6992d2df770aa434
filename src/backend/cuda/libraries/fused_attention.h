// Attention by a library, where it has been asked for.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "backend/cuda/runtime/plugin_callbacks.h"
#include "backend/cuda/runtime/stream.h"
#include "tensor/operations/attention.h"

namespace nmt::cuda {

/// Gives device memory until the next operation.
using Scratch = std::function<void*(std::size_t bytes)>;

class FusedAttention {
 public:
  virtual ~FusedAttention() = default;

  /// Computes it in as many bytes of device memory as `scratch` is asked for; or answers false and does
  /// nothing, where the library does not compute this.
  virtual bool run(const Attention& attention, const Scratch& scratch) = 0;
  virtual bool run(const AttentionBackward& attention, const Scratch& scratch) = 0;

 protected:
  FusedAttention() = default;
  FusedAttention(const FusedAttention&) = default;
  FusedAttention& operator=(const FusedAttention&) = default;
};

/// That of cuDNN, whose graphs compute attention over sequences of `from` positions and more, in 16 bits,
/// without dropout and where nobody asks for the weights. Null where `from` is 0 or nmt was built without
/// cuDNN. The stream outlives it; `warn` hears of what cuDNN does not compute.
std::unique_ptr<FusedAttention> open_cudnn_attention(Stream& stream, int from, const Warn& warn);

}  // namespace nmt::cuda
