#include "backend/cuda/cuda_backend.h"

#include <algorithm>
#include <utility>

#include "backend/cuda/runtime/status.h"
#include "common/error.h"

namespace nmt {

using cuda::check;

CudaBackend::CudaBackend(cuda::Gpu gpu, CudaArithmetic arithmetic, int streams, const Warn& warn,
                         std::shared_ptr<cuda::GpuWatchdog> watchdog)
    : gpu_(std::move(gpu)),
      arithmetic_(arithmetic),
      stream_(gpu_.number, std::move(watchdog)),
      matrix_products_(arithmetic.tf32, warn),
      fused_layers_(cuda::open_cudnn_layers(stream_, arithmetic.tf32, warn)),
      fused_attention_(cuda::open_cudnn_attention(stream_, arithmetic.cudnn_attention, warn)) {
  for (int i = 0; streams > 1 && i < streams; ++i)
    workers_.push_back(std::make_unique<CudaBackend>(gpu_, arithmetic, 1, warn, stream_.watchdog()));
}

CudaBackend::~CudaBackend() {
  release(scratch_);
}

std::string CudaBackend::description() const {
  return fmt::format("cuda:{}, {}, {}", gpu_.number, gpu_.name,
                     arithmetic_.tf32                   ? "tf32"
                     : arithmetic_.weights == DType::i8 ? "int8"
                                                        : name_of(arithmetic_.compute));
}

std::vector<Backend*> CudaBackend::workers() {
  std::vector<Backend*> workers;
  workers.reserve(workers_.size());
  for (const auto& worker : workers_) workers.push_back(worker.get());
  return workers;
}

void* CudaBackend::allocate(std::size_t bytes) {
  const cuda::GpuWatchdog::Call call(*stream_.watchdog());
  stream_.make_current();
  void* data = nullptr;
  check(cudaMalloc(&data, std::max<std::size_t>(bytes, 1)));
  return data;
}

void CudaBackend::release(void* data) {
  const cuda::GpuWatchdog::Call call(*stream_.watchdog());
  stream_.flush();                    // requested commands must be on the stream before
  static_cast<void>(cudaFree(data));  // waits for the work that uses the memory
}

std::size_t CudaBackend::free_memory() const {
  // Reserved for scratch(), workspaces of matrix products, and gaps between blocks.
  constexpr std::size_t kReserve = std::size_t{512} << 20;
  const cuda::GpuWatchdog::Call call(*stream_.watchdog());
  stream_.make_current();
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all));
  return free - std::min(free, kReserve);
}

void CudaBackend::upload(const Tensor& to, const void* from) {
  uploads_.copy(to.raw(), from, to.bytes(), stream_);
}

void CudaBackend::download(void* to, const Tensor& from) {
  if (from.bytes() == 0) return;
  const cuda::GpuWatchdog::Call call(*stream_.watchdog());
  check(cudaMemcpyAsync(to, from.raw(), from.bytes(), cudaMemcpyDeviceToHost, stream_.get()));
  stream_.wait();
}

Transfer CudaBackend::download_later(void* to, const Tensor& from) {
  if (from.bytes() == 0) return {};
  return downloads_.copy(to, from.raw(), from.bytes(), stream_);
}

void* CudaBackend::scratch_bytes(std::size_t bytes) {
  if (bytes > scratch_size_) {
    release(std::exchange(scratch_, nullptr));
    scratch_size_ = 0;
    scratch_ = allocate(bytes);
    scratch_size_ = bytes;
  }
  return scratch_;
}

}  // namespace nmt
