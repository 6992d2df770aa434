// The stream of a card, on which everything happens in the order of the calls.
#pragma once

#include <cuda_runtime.h>

namespace nmt::cuda {

/// Threads have a current card each, which all that they ask CUDA for is of. So whoever asks for the stream
/// has its card as the current one from then on.
class Stream {
 public:
  explicit Stream(int device);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const {
    make_current();
    return stream_;
  }
  void make_current() const;
  /// Returns when all that was asked for is done.
  void wait() const;

 private:
  int device_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace nmt::cuda
