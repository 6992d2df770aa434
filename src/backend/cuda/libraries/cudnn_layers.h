// Recurrent layers computed as a whole by cuDNN.
#pragma once

#include <memory>

#include "backend/cuda/runtime/plugin_callbacks.h"
#include "backend/cuda/runtime/stream.h"
#include "tensor/operations/recurrent.h"

namespace nmt::cuda {

/// Returns the recurrent layers of a GPU, which use its `stream` and which it must outlive; null if nmt was
/// built without cuDNN. `tf32`: as for MatrixProducts. `warn` receives a warning about layers that cuDNN does
/// not compute, and why. cuDNN is opened for the first layer.
std::unique_ptr<FusedRecurrentLayers> open_cudnn_layers(Stream& stream, bool tf32, const Warn& warn);

}  // namespace nmt::cuda
