// The stream of a GPU, on which everything happens in the order of the calls.
#pragma once

#include <cuda_runtime.h>

#include <exception>
#include <memory>
#include <utility>

#include "backend/cuda/runtime/command_graphs.h"
#include "backend/cuda/runtime/status.h"
#include "backend/cuda/runtime/watchdog.h"

namespace nmt::cuda {

/// A stream of commands. Commands that may recur in the same order are requested with ask(). Commands that
/// differ every time, wait, or free memory use the CUDA stream itself, which ends a sequence (see
/// CommandGraphs).
///
/// Each thread has a current GPU to which all of its CUDA calls refer. Getting the stream makes its GPU the
/// current one.
class Stream {
 public:
  /// `watchdog`: of the GPU.
  Stream(int device, std::shared_ptr<GpuWatchdog> watchdog);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Requests a command that depends only on `parts`, whose bytes have no padding. It reaches the GPU at the
  /// latest with the next call of another function below.
  template <class... Parts>
  void ask(Command command, const Parts&... parts) {
    const GpuWatchdog::Call call(*watchdog_);
    tell_of_failure();
    make_current();
    command_graphs_.describe(parts...);
    command_graphs_.add(std::move(command), stream_);
  }
  /// Requests function(arguments..., CUDA's stream), a CUDA function.
  template <class... P, class... A>
  void call(cudaError_t (*function)(P...), A... arguments) {
    ask([=](cudaStream_t stream) { check(function(arguments..., stream)); }, function, arguments...);
  }
  /// Returns CUDA's stream, with all requested commands on it.
  cudaStream_t get() {
    const GpuWatchdog::Call call(*watchdog_);
    tell_of_failure();
    make_current();
    command_graphs_.end(stream_);
    return stream_;
  }
  /// Puts all requested commands on CUDA's stream without throwing; an error is thrown by the next call of
  /// ask() or get().
  void flush() noexcept;
  /// Returns when all requested commands are done.
  void wait();
  void make_current() const;
  /// Makes commands requested from now on start after all commands requested from the other stream so far.
  void wait_for(Stream& other);
  int device() const { return device_; }
  const std::shared_ptr<GpuWatchdog>& watchdog() const { return watchdog_; }

  /// Returns how many sequences were sent to the GPU as a graph.
  std::int64_t replays() const { return command_graphs_.replays(); }

 private:
  /// Throws the error that flush() could not throw.
  void tell_of_failure() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  int device_;
  std::shared_ptr<GpuWatchdog> watchdog_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t reached_ = nullptr;  // for streams that wait for this one
  CommandGraphs command_graphs_;
  std::exception_ptr failure_;
};

}  // namespace nmt::cuda
