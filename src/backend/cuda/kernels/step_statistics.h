// The statistics of an update as kernels see them.
#pragma once

#include "backend/cuda/kernels/elements.h"
#include "tensor/step_statistics.h"

namespace nmt::cuda {

/// Returns the statistics in a tensor of device memory.
inline StepStatistics* device_statistics_in(const Tensor& tensor) {
  return reinterpret_cast<StepStatistics*>(data_of<double>(tensor));
}

}  // namespace nmt::cuda
