// cuDNN on the stream of a backend.
#pragma once

#include <string>

#include "backend/cuda/libraries/cudnn.h"
#include "backend/cuda/runtime/plugin_callbacks.h"
#include "backend/cuda/runtime/stream.h"

namespace nmt::cuda {

/// Opens cuDNN on demand. The stream must outlive this object.
class CudnnHandle {
 public:
  /// `otherwise`: what happens instead if cuDNN is missing or does not start on this GPU, for the warning
  /// passed to `warn`.
  CudnnHandle(Stream& stream, Warn warn, std::string otherwise)
      : stream_(stream), warn_(std::move(warn)), otherwise_(std::move(otherwise)) {}
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  /// Returns the handle, or null if there is none, and makes the GPU current.
  cudnnHandle_t get();
  /// Returns the handle for calls on the stream, which then are not part of a repeated sequence of commands;
  /// null if there is none.
  cudnnHandle_t on_stream();

 private:
  Stream& stream_;
  Warn warn_;
  std::string otherwise_;
  cudnnHandle_t handle_ = nullptr;
  bool has_begun_ = false;
};

}  // namespace nmt::cuda
