// The checks of compute-sanitizer on the host: accesses out of bounds, reads of uninitialized memory, races,
// misaligned accesses; also accesses to the memory of another GPU without permission.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_emulator/listing.h"
#include "cuda_emulator/memory.h"

namespace simt {

/// The position of the running thread, which stamps its accesses.
struct Stand {
  std::uint64_t run = 0, first_run = 0;  // of this block; of the first block of this launch
  unsigned block_epoch = 0, warp_epoch = 0, thread = 0;
  std::size_t shared_bytes = 0;
  int gpu = 0;  // the active GPU
  Span stack;
  bool inside = false;     // whether a kernel's own code is running
  bool emulating = false;  // whether a grid is running outside of its kernel's code
};
extern thread_local Stand stand;

/// The bytes that the running kernel has moved so far, if there is a listing.
extern Traffic moved;

/// Whether the kernels were compiled with -fsanitize=thread, so that their accesses are visible.
bool instrumented();

/// Checks an access by the kernel's code at `pc` to memory that may have to be aligned to its size.
void examine_access(const void* address, std::size_t bytes, bool write, bool atomic, const void* pc);
void examine_aligned(const void* address, std::size_t bytes, bool write, const void* pc);

/// Record that the host or a library has written memory, or is about to read it; host memory is ignored.
void wrote(const void* data, std::size_t bytes, const char* who);
void reads(const void* data, std::size_t bytes, const char* who);
/// Marks memory as uninitialized.
void forget(const void* data, std::size_t bytes);
/// Reports known findings again.
void forget_told();
void make_shadow();

}  // namespace simt
