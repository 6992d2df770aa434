// Device memory: one range of addresses, so that shadow.cpp can tell it at once. Shared memory lies at its
// begin.
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

constexpr std::size_t kSharedLimit = 227 * 1024;          // a block's, of an H100 or H200
constexpr std::size_t kCardBytes = std::size_t{4} << 30;  // what a card says that it has
constexpr unsigned char kPoison = 0xff;                   // NaN as f64, f32, f16 and bf16, -1 as i32

inline bool Memory::holds_shared(const void* p) const {
  return offset(p) < kSharedLimit;
}

struct Span {
  const std::byte *begin = nullptr, *end = nullptr;
  bool holds(const std::byte* p, std::size_t bytes) const { return p >= begin && p + bytes <= end; }
};

/// Of device memory.
struct Allocation : Span {
  int card = 0;
};

/// nullptr where the card is full. The first MiB is filled with poison; freed memory is not given again while
/// there are other addresses.
void* allocate(std::size_t bytes, int card);
void release(void* data);
std::size_t allocated_bytes();
/// The live allocation that holds an address of device memory; empty where there is none.
Allocation allocation_of(const void* p);
bool is_allocated(const void* p, std::size_t bytes);

/// Memory of the host that all cards may reach.
void pin(const void* data, std::size_t bytes);
void unpin(const void* data);
bool is_pinned(const void* p);

}  // namespace simt
