// Recurrent layers as a whole, by cuDNN.
#pragma once

#include <memory>

#include "backend/cuda/runtime/plugin_callbacks.h"
#include "backend/cuda/runtime/stream.h"
#include "tensor/operations/fused_recurrent_layer.h"

namespace nmt::cuda {

/// The recurrent layers of a card, whose calls go to its `stream`, which outlives them; null where nmt was
/// built without cuDNN. `tf32`: as that of MatrixProducts. `warn` hears of layers that cuDNN does not
/// compute, and why: it is opened for the first one.
std::unique_ptr<FusedRecurrentLayers> open_cudnn_layers(Stream& stream, bool tf32, const Warn& warn);

}  // namespace nmt::cuda
