// The part of the CUDA runtime API for memory and copies (the prototypes are the toolkit's).
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/listing.h"
#include "cuda_emulator/memory.h"
#include "cuda_emulator/shadow.h"
#include "cuda_emulator/streams.h"

namespace simt {
namespace {

/// Rows of `width` bytes; the pitch is the distance between them.
struct Copy {
  std::byte* to;
  std::size_t to_pitch;
  const std::byte* from;
  std::size_t from_pitch;
  std::size_t width, height;

  void operator()() const {
    if (is_listing()) {
      const std::uint64_t bytes = width * height;
      list("copy", 0, {.read = memory.holds(from) ? bytes : 0, .written = memory.holds(to) ? bytes : 0});
    }
    for (std::size_t i = 0; i < height; ++i) {
      reads(from + i * from_pitch, width, "a copy");
      wrote(to + i * to_pitch, width, "a copy");
      std::memmove(to + i * to_pitch, from + i * from_pitch, width);
    }
  }
};

/// Reads the rows of a copy now.
std::shared_ptr<std::byte[]> staged(const Copy& copy) {
  std::shared_ptr<std::byte[]> rows(new std::byte[copy.width * copy.height]);
  for (std::size_t i = 0; i < copy.height; ++i)
    std::memcpy(rows.get() + i * copy.width, copy.from + i * copy.from_pitch, copy.width);
  return rows;
}

bool is_pageable(const void* p) {
  return !memory.holds(p) && !is_pinned(p);
}

/// Whether the kind of a copy matches its pointers.
bool fits(cudaMemcpyKind kind, const void* to, const void* from) {
  if (kind == cudaMemcpyDefault) return true;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return memory.holds(to) == to_device && memory.holds(from) == from_device;
}

cudaError_t copy_later(Copy copy, cudaMemcpyKind kind, cudaStream_t stream) {
  if (copy.width == 0 || copy.height == 0) return done(cudaSuccess);
  if (!fits(kind, copy.to, copy.from)) report("a copy whose kind does not fit its addresses");
  const bool pageable = is_pageable(copy.to) || is_pageable(copy.from);
  if (pageable && stream != nullptr && stream->capture != nullptr)
    report("a copy of pageable memory while its stream is being captured");
  if (is_pageable(copy.from)) {  // it is taken before the call returns
    const auto rows = staged(copy);
    copy.from = rows.get();
    copy.from_pitch = copy.width;
    enqueue(stream, {[copy, rows] { copy(); }, {}});
  } else {
    enqueue(stream, {copy, {}});
  }
  return is_pageable(copy.to) ? cudaStreamSynchronize(stream) : done(cudaSuccess);
}

}  // namespace
}  // namespace simt

using namespace simt;

extern "C" {

cudaError_t cudaMalloc(void** p, size_t bytes) {
  const std::lock_guard lock(runtime_mutex());
  if (captures_here()) report("cudaMalloc while a stream is being captured");
  wait_for_gpus("cudaMalloc");
  *p = bytes == 0 ? nullptr : allocate(bytes, current_gpu());
  return done(*p != nullptr || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* p) {
  const std::lock_guard lock(runtime_mutex());
  if (p != nullptr) wait_for_gpus("cudaFree");
  drain_all();  // as a GPU does
  release(p);
  return done(cudaSuccess);
}

cudaError_t cudaMallocHost(void** p, size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::lock_guard lock(runtime_mutex());
  wait_for_gpus("cudaMallocHost");
  *p = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (*p == nullptr) return done(cudaErrorMemoryAllocation);
  std::memset(*p, kPoison, bytes);
  pin(*p, bytes);
  born("pinned memory");
  return done(cudaSuccess);
}

cudaError_t cudaFreeHost(void* p) {
  const std::lock_guard lock(runtime_mutex());
  if (p == nullptr) return done(cudaSuccess);
  wait_for_gpus("cudaFreeHost");
  drain_all();
  if (!is_pinned(p)) report("cudaFreeHost of what cudaMallocHost did not give, or twice");
  unpin(p);
  std::free(p);
  died("pinned memory");
  return done(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const std::lock_guard lock(runtime_mutex());
  *total = kGpuBytes;
  *free = kGpuBytes - allocated_bytes();
  return done(cudaSuccess);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());
  if (height > 1 && (width > to_pitch || width > from_pitch)) {
    report("a copy of rows wider than their pitch");
    return done(cudaErrorInvalidPitchValue);
  }
  return copy_later(
      {static_cast<std::byte*>(to), to_pitch, static_cast<const std::byte*>(from), from_pitch, width, height},
      kind, stream);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  const auto fill = [=] {
    if (is_listing()) list("cudaMemset", 0, {.written = width * height});
    for (std::size_t i = 0; i < height; ++i) {
      std::byte* row = static_cast<std::byte*>(p) + i * pitch;
      wrote(row, width, "cudaMemset");
      std::memset(row, value, width);
    }
  };
  if (!memory.holds(p) && width > 0 && height > 0)
    report("cudaMemset of what is not in device memory");
  else
    enqueue(stream, {fill, {}});
  return done(cudaSuccess);
}

cudaError_t cudaMemsetAsync(void* p, int value, size_t bytes, cudaStream_t stream) {
  return cudaMemset2DAsync(p, bytes, value, bytes, bytes == 0 ? 0 : 1, stream);
}

cudaError_t cudaMemset(void* p, int value, size_t bytes) {
  return cudaMemsetAsync(p, value, bytes, nullptr);
}

}  // extern "C"
