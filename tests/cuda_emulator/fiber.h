// Threads of a block as fibers: stacks between which the running one switches itself. (ucontext, which makes
// a system call for signals at every switch, is 8 to 18 times slower.)
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#include "cuda_emulator/memory.h"

namespace simt {

/// A stack pointer; the registers are on the stack.
using Context = void*;

extern "C" void simt_switch(Context* from, Context to);

/// Returns a context that begins in `entry` with the top of its stack at `end`, a multiple of 16.
inline Context prepare(std::byte* end, void (*entry)()) {
  void** top = reinterpret_cast<void**>(end) - 2;  // as after a call: the stack is 16-byte aligned + 8
  *top = reinterpret_cast<void*>(entry);
  constexpr int kSavedRegisters = 6;
  return top - kSavedRegisters;
}

#if defined(__SANITIZE_ADDRESS__)

/// Switches fibers, and tells the address sanitizer which stack is in use.
inline void switch_fiber(Context* from, Context to, const Span& stack, bool dies) {
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(dies ? nullptr : &fake, stack.begin,
                                 static_cast<std::size_t>(stack.end - stack.begin));
  simt_switch(from, to);
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
}
/// Must be called first on a new stack: records the stack that was left, if it is unknown.
inline void arrive(Span* left) {
  const void* begin = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(nullptr, &begin, &bytes);
  if (left->begin == nullptr)
    *left = {static_cast<const std::byte*>(begin), static_cast<const std::byte*>(begin) + bytes};
}
inline void clean_stack(const Span& stack) {
  __asan_unpoison_memory_region(stack.begin, static_cast<std::size_t>(stack.end - stack.begin));
}

#else

inline void switch_fiber(Context* from, Context to, const Span&, bool) {
  simt_switch(from, to);
}
inline void arrive(Span*) {}
inline void clean_stack(const Span&) {}

#endif

}  // namespace simt
