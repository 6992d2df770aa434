// Copies between host memory and GPU memory through pinned memory, which is required for copies during which
// the host continues.
#pragma once

#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "backend/cuda/runtime/stream.h"
#include "tensor/backend.h"

namespace nmt::cuda {

/// Pinned memory, and an event that marks the end of the copy that uses it.
class Staging {
 public:
  /// Allocates memory for copies on streams of the same GPU as `stream`.
  Staging(std::size_t bytes, const Stream& stream);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Records that all work requested from the stream so far uses the memory.
  void record(cudaStream_t stream) const;
  /// Returns when the recorded work is done; at once if nothing was recorded.
  void wait() const;

 private:
  std::shared_ptr<GpuWatchdog> watchdog_;
  std::byte* data_ = nullptr;
  std::size_t bytes_;
  cudaEvent_t event_ = nullptr;
};

/// Copies to the GPU, through a ring of pieces, each of which many small copies share; the host waits only if
/// it is a whole ring ahead.
class Uploads {
 public:
  /// Copies `bytes` bytes; the memory at `from` may be changed when the call returns.
  void copy(void* to, const void* from, std::size_t bytes, Stream& stream);

 private:
  static constexpr std::size_t kBytes = std::size_t{2} << 20;  // of a piece

  void next_piece(Stream& stream);

  std::array<std::unique_ptr<Staging>, 4> pieces_;
  std::size_t piece_ = 0, used_ = kBytes;  // no piece is in use
};

/// Copies to the host that are waited for later. Pinned memory is reused when they have arrived.
class Downloads {
 public:
  /// Starts a copy; the transfer may outlive this object.
  Transfer copy(void* to, const void* from, std::size_t bytes, Stream& stream);

 private:
  using Free = std::vector<std::shared_ptr<Staging>>;
  std::shared_ptr<Free> free_ = std::make_shared<Free>();
};

}  // namespace nmt::cuda
