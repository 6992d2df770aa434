#include "backend/cuda/runtime/staging.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "backend/cuda/runtime/status.h"

namespace nmt::cuda {

Staging::Staging(std::size_t bytes, const Stream& stream) : watchdog_(stream.watchdog()), bytes_(bytes) {
  const GpuWatchdog::Call call(*watchdog_);
  stream.make_current();  // events belong to the current GPU
  check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  void* data = nullptr;
  const cudaError_t status = cudaMallocHost(&data, bytes);
  if (status != cudaSuccess) static_cast<void>(cudaEventDestroy(event_));
  check(status);
  data_ = static_cast<std::byte*>(data);
}

Staging::~Staging() {
  const GpuWatchdog::Call call(*watchdog_);
  static_cast<void>(cudaEventSynchronize(event_));
  static_cast<void>(cudaEventDestroy(event_));
  static_cast<void>(cudaFreeHost(data_));
}

void Staging::record(cudaStream_t stream) const {
  check(cudaEventRecord(event_, stream));
}

void Staging::wait() const {
  const GpuWatchdog::Call call(*watchdog_);
  check(cudaEventSynchronize(event_));
}

void Uploads::next_piece(Stream& stream) {
  if (pieces_[piece_]) pieces_[piece_]->record(stream.get());
  piece_ = (piece_ + 1) % pieces_.size();
  if (!pieces_[piece_]) pieces_[piece_] = std::make_unique<Staging>(kBytes, stream);
  pieces_[piece_]->wait();
  used_ = 0;
}

void Uploads::copy(void* to, const void* from, std::size_t bytes, Stream& stream) {
  constexpr std::size_t kAlignment = 64;
  const GpuWatchdog::Call call(*stream.watchdog());
  const cudaStream_t on = stream.get();
  for (std::size_t done = 0; done < bytes;) {
    if (used_ == kBytes) next_piece(stream);
    const std::size_t part = std::min(bytes - done, kBytes - used_);
    std::byte* staged = pieces_[piece_]->data() + used_;
    std::memcpy(staged, static_cast<const std::byte*>(from) + done, part);
    check(cudaMemcpyAsync(static_cast<std::byte*>(to) + done, staged, part, cudaMemcpyHostToDevice, on));
    used_ += (part + kAlignment - 1) / kAlignment * kAlignment;
    done += part;
  }
}

Transfer Downloads::copy(void* to, const void* from, std::size_t bytes, Stream& stream) {
  const GpuWatchdog::Call call(*stream.watchdog());
  const auto large_enough =
      std::ranges::find_if(*free_, [bytes](const auto& staging) { return staging->bytes() >= bytes; });
  std::shared_ptr<Staging> staging;
  if (large_enough == free_->end()) {
    constexpr std::size_t kLeast = 4096;
    staging = std::make_shared<Staging>(std::bit_ceil(std::max(bytes, kLeast)), stream);
  } else {
    staging = std::move(*large_enough);
    free_->erase(large_enough);
  }
  const cudaStream_t on = stream.get();
  check(cudaMemcpyAsync(staging->data(), from, bytes, cudaMemcpyDeviceToHost, on));
  staging->record(on);
  return Transfer([to, bytes, staging = std::move(staging), free = free_]() mutable {
    staging->wait();
    std::memcpy(to, staging->data(), bytes);
    free->push_back(std::move(staging));
  });
}

}  // namespace nmt::cuda
