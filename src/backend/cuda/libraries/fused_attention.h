// Attention by a library, where it has been asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "backend/cuda/runtime/plugin_callbacks.h"
#include "backend/cuda/runtime/stream.h"
#include "tensor/operations/attention.h"

namespace nmt::cuda {

class FusedAttention {
 public:
  virtual ~FusedAttention() = default;

  /// Bytes of device memory that run() works in; nothing where the library does not compute this.
  virtual std::optional<std::size_t> memory(const Attention& attention) = 0;
  virtual std::optional<std::size_t> memory(const AttentionBackward& attention) = 0;
  /// After memory() of the same arguments.
  virtual void run(const Attention& attention, void* memory) = 0;
  virtual void run(const AttentionBackward& attention, void* memory) = 0;

 protected:
  FusedAttention() = default;
  FusedAttention(const FusedAttention&) = default;
  FusedAttention& operator=(const FusedAttention&) = default;
};

/// That of cuDNN, whose graphs compute attention over sequences of `from` positions and more, in 16 bits,
/// without dropout and where nobody asks for the weights. Null where cuDNN is not installed, or `from` is 0.
/// The stream outlives it; `warn` hears of what cuDNN does not compute.
std::unique_ptr<FusedAttention> open_cudnn_attention(Stream& stream, int from, const Warn& warn);

}  // namespace nmt::cuda
