// What compute-sanitizer looks for, on the host: out of bounds, reads of what nobody wrote, races, misaligned
// accesses; and memory of another card, which nobody asks to be let into.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_emulator/listing.h"
#include "cuda_emulator/memory.h"

namespace simt {

/// Where the running thread stands: the stamp of its accesses.
struct Stand {
  std::uint64_t run = 0, first_run = 0;  // of this block; of the first block of this launch
  unsigned block_epoch = 0, warp_epoch = 0, thread = 0;
  std::size_t shared_bytes = 0;
  int card = 0;  // that does something
  Span stack;
  bool inside = false;     // a kernel's own code is running
  bool emulating = false;  // a grid is running: neither the kernel's code nor the host's
};
extern thread_local Stand stand;

/// What the kernel that runs has moved so far, where that is listed.
extern Traffic moved;

/// The kernels were compiled with -fsanitize=thread: their accesses are seen.
bool instrumented();

/// An access by the kernel's code at `pc`, of memory that must be aligned to its size or not.
void examine_access(const void* address, std::size_t bytes, bool write, bool atomic, const void* pc);
void examine_aligned(const void* address, std::size_t bytes, bool write, const void* pc);

/// The host or a library writes, or is about to read, memory; that of the host is no concern.
void wrote(const void* data, std::size_t bytes, const char* who);
void reads(const void* data, std::size_t bytes, const char* who);
/// Nobody wrote it.
void forget(const void* data, std::size_t bytes);
/// What was told once is told again.
void forget_told();
void make_shadow();

}  // namespace simt
