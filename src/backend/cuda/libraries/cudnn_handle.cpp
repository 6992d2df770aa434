#include "backend/cuda/libraries/cudnn_handle.h"

#include <fmt/format.h>

#include <utility>

#include "common/error.h"

namespace nmt::cuda {

CudnnHandle::~CudnnHandle() {
  if (handle_ == nullptr) return;
  const GpuWatchdog::Call call(*stream_.watchdog());
  static_cast<void>(cudnn().destroy(handle_));
}

cudnnHandle_t CudnnHandle::get() {
  const GpuWatchdog::Call call(*stream_.watchdog());
  stream_.make_current();
  if (std::exchange(has_begun_, true)) return handle_;
  try {
    const cudnnStatus_t status = cudnn().create(&handle_);
    if (status == CUDNN_STATUS_SUCCESS) return handle_;
    warn_(fmt::format("cuDNN cannot start ({}): {}", cudnn().error_string(status), otherwise_));
  } catch (const UsageError& error) {  // the library is missing or incompatible
    warn_(fmt::format("{}: {}", error.what(), otherwise_));
  }
  return handle_ = nullptr;
}

cudnnHandle_t CudnnHandle::on_stream() {
  const cudnnHandle_t handle = get();
  check(cudnn().set_stream(handle, stream_.get()));
  return handle;
}

}  // namespace nmt::cuda
