// Replaces the files that need cuDNN if its header is missing.
#include "backend/cuda/libraries/fused_operations.h"

namespace nmt::cuda {

std::unique_ptr<FusedRecurrentLayers> open_cudnn_layers(Stream&, bool, const Warn&) {
  return nullptr;
}

std::unique_ptr<FusedAttention> open_cudnn_attention(Stream&, int from, const Warn& warn) {
  if (from > 0) warn("built without cuDNN: other kernels compute attention");
  return nullptr;
}

}  // namespace nmt::cuda
