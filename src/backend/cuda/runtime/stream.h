// The stream of a card, on which everything happens in the order of the calls.
#pragma once

#include <cuda_runtime.h>

#include <exception>
#include <memory>
#include <utility>

#include "backend/cuda/runtime/command_graphs.h"
#include "backend/cuda/runtime/status.h"
#include "backend/cuda/runtime/watchdog.h"

namespace nmt::cuda {

/// Commands that may come again in the same order are asked for with ask(), and what differs every time, or
/// waits, or gives memory back, takes the stream itself: that is where a sequence ends (see CommandGraphs).
///
/// Threads have a current card each, which all that they ask CUDA for is of. So whoever asks for the stream
/// has its card as the current one from then on.
class Stream {
 public:
  /// `watchdog`: of the card.
  Stream(int device, std::shared_ptr<CardWatchdog> watchdog);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Asks for a command of which `parts`, without padding between their bytes, are all that it depends on. It
  /// reaches the card by the next call of one of the others.
  template <class... Parts>
  void ask(Command command, const Parts&... parts) {
    const CardWatchdog::Call call(*watchdog_);
    tell_of_failure();
    make_current();
    command_graphs_.describe(parts...);
    command_graphs_.add(std::move(command), stream_);
  }
  /// Asks for function(arguments..., CUDA's stream), a function of CUDA's.
  template <class... P, class... A>
  void call(cudaError_t (*function)(P...), A... arguments) {
    ask([=](cudaStream_t stream) { check(function(arguments..., stream)); }, function, arguments...);
  }
  /// CUDA's stream, on which all that was asked for stands.
  cudaStream_t get() {
    const CardWatchdog::Call call(*watchdog_);
    tell_of_failure();
    make_current();
    command_graphs_.end(stream_);
    return stream_;
  }
  /// Puts on CUDA's stream all that was asked for, where nothing may be thrown: what goes wrong, the next
  /// call of ask() or get() throws.
  void flush() noexcept;
  /// Returns when all that was asked for is done.
  void wait();
  void make_current() const;
  /// What this is asked for from now on begins when all that the other one was asked for is done.
  void wait_for(Stream& other);
  int device() const { return device_; }
  const std::shared_ptr<CardWatchdog>& watchdog() const { return watchdog_; }

  /// How many sequences went to the card as a graph.
  std::int64_t replays() const { return command_graphs_.replays(); }

 private:
  /// Throws what flush() could not.
  void tell_of_failure() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  int device_;
  std::shared_ptr<CardWatchdog> watchdog_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t reached_ = nullptr;  // where others wait for it
  CommandGraphs command_graphs_;
  std::exception_ptr failure_;
};

}  // namespace nmt::cuda
