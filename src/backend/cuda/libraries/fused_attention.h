// Attention computed by a library, if that is enabled.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "backend/cuda/runtime/plugin_callbacks.h"
#include "backend/cuda/runtime/stream.h"
#include "tensor/operations/attention.h"

namespace nmt::cuda {

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

}  // namespace nmt::cuda
