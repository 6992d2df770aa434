#include "backend/cuda/runtime/stream.h"

namespace nmt::cuda {

namespace {

/// Makes the GPU current for the calling thread, which may have another one because of other code.
cudaError_t select(int device) {
  int current = -1;
  const cudaError_t status = cudaGetDevice(&current);
  if (status != cudaSuccess || current == device) return status;
  return cudaSetDevice(device);
}

}  // namespace

Stream::Stream(int device, std::shared_ptr<GpuWatchdog> watchdog)
    : device_(device), watchdog_(std::move(watchdog)) {
  const GpuWatchdog::Call call(*watchdog_);
  check(select(device_));
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
  const cudaError_t status = cudaEventCreateWithFlags(&reached_, cudaEventDisableTiming);
  if (status != cudaSuccess) static_cast<void>(cudaStreamDestroy(stream_));
  check(status);
}

Stream::~Stream() {
  const GpuWatchdog::Call call(*watchdog_);
  static_cast<void>(select(device_));
  static_cast<void>(cudaStreamSynchronize(stream_));
  command_graphs_.forget();
  static_cast<void>(cudaEventDestroy(reached_));
  static_cast<void>(cudaStreamDestroy(stream_));
}

void Stream::make_current() const {
  check(select(device_));
}

void Stream::flush() noexcept {
  try {
    static_cast<void>(get());
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void Stream::wait() {
  const GpuWatchdog::Call call(*watchdog_);
  check(cudaStreamSynchronize(get()));
}

void Stream::wait_for(Stream& other) {
  const GpuWatchdog::Call call(*watchdog_);
  check(cudaEventRecord(other.reached_, other.get()));
  check(cudaStreamWaitEvent(get(), other.reached_, 0));
}

}  // namespace nmt::cuda
