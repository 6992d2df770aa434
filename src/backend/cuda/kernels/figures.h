// The figures of an update as kernels see them.
#pragma once

#include "backend/cuda/kernels/elements.h"
#include "tensor/update_figures.h"

namespace nmt::cuda {

/// Those in a tensor of device memory.
inline UpdateFigures* device_figures_in(const Tensor& tensor) {
  return reinterpret_cast<UpdateFigures*>(data_of<double>(tensor));
}

}  // namespace nmt::cuda
