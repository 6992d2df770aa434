// cuDNN on the stream of a backend.
#pragma once

#include <string>

#include "backend/cuda/libraries/cudnn.h"
#include "backend/cuda/runtime/plugin_callbacks.h"
#include "backend/cuda/runtime/stream.h"

namespace nmt::cuda {

/// Opens cuDNN when it is asked for first. The stream outlives it.
class CudnnHandle {
 public:
  /// `otherwise`: what is done where cuDNN is not there or does not begin on this card, for the warning that
  /// `warn` hears.
  CudnnHandle(Stream& stream, Warn warn, std::string otherwise)
      : stream_(stream), warn_(std::move(warn)), otherwise_(std::move(otherwise)) {}
  ~CudnnHandle();
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  /// Null where there is none. The card is the current one from then on.
  cudnnHandle_t get();
  /// The same, for calls on the stream, which then are no part of a sequence of commands that comes again.
  cudnnHandle_t on_stream();

 private:
  Stream& stream_;
  Warn warn_;
  std::string otherwise_;
  cudnnHandle_t handle_ = nullptr;
  bool has_begun_ = false;
};

}  // namespace nmt::cuda
