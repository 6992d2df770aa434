// Device memory: one range of addresses, so that shadow.cpp recognizes it quickly. Shared memory is at its
// beginning.
#pragma once

#include <cstddef>

namespace simt {

struct Memory {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;

  std::size_t offset(const void* p) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p) - begin);
  }
  bool holds(const void* p) const { return offset(p) < bytes; }
  bool holds_shared(const void* p) const;
};
extern Memory memory;

constexpr std::size_t kSharedLimit = 227 * 1024;         // per block, on an H100 or H200
constexpr std::size_t kGpuBytes = std::size_t{4} << 30;  // memory that a GPU reports
constexpr unsigned char kPoison = 0xff;                  // NaN as f64, f32, f16 and bf16, -1 as i32

inline bool Memory::holds_shared(const void* p) const {
  return offset(p) < kSharedLimit;
}

struct Span {
  const std::byte *begin = nullptr, *end = nullptr;
  bool holds(const std::byte* p, std::size_t bytes) const { return p >= begin && p + bytes <= end; }
};

/// An allocation of device memory.
struct Allocation : Span {
  int gpu = 0;
};

/// Allocates device memory; returns null if the GPU is full. The first MiB is filled with poison; freed
/// addresses are not reused while there are others.
void* allocate(std::size_t bytes, int gpu);
void release(void* data);
std::size_t allocated_bytes();
/// Returns the live allocation that contains an address of device memory; empty if there is none.
Allocation allocation_of(const void* p);
bool is_allocated(const void* p, std::size_t bytes);

/// Registers host memory that all GPUs may access.
void pin(const void* data, std::size_t bytes);
void unpin(const void* data);
bool is_pinned(const void* p);

}  // namespace simt
