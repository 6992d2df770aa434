// The functions for memory accesses that the compiler calls with -fsanitize=thread. They replace the library
// that usually comes with this option.
#include <cstdint>

#include "cuda_emulator/shadow.h"

namespace {
bool called = false;
}

namespace simt {
bool instrumented() {
  return called;
}
}  // namespace simt

#define SIMT_CALLER __builtin_return_address(0)
#define SIMT_HOOKS(n)                                      \
  void __tsan_read##n(void* p) {                           \
    simt::examine_aligned(p, n, false, SIMT_CALLER);       \
  }                                                        \
  void __tsan_write##n(void* p) {                          \
    simt::examine_aligned(p, n, true, SIMT_CALLER);        \
  }                                                        \
  void __tsan_unaligned_read##n(void* p) {                 \
    simt::examine_access(p, n, false, false, SIMT_CALLER); \
  }                                                        \
  void __tsan_unaligned_write##n(void* p) {                \
    simt::examine_access(p, n, true, false, SIMT_CALLER);  \
  }

// Atomics of host code; kernels have their own (simt.h).
#define SIMT_ATOMICS(n)                                                                                  \
  std::uint##n##_t __tsan_atomic##n##_load(const volatile std::uint##n##_t* p, int) {                    \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                         \
  }                                                                                                      \
  void __tsan_atomic##n##_store(volatile std::uint##n##_t* p, std::uint##n##_t x, int) {                 \
    __atomic_store_n(p, x, __ATOMIC_SEQ_CST);                                                            \
  }                                                                                                      \
  std::uint##n##_t __tsan_atomic##n##_exchange(volatile std::uint##n##_t* p, std::uint##n##_t x, int) {  \
    return __atomic_exchange_n(p, x, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                      \
  std::uint##n##_t __tsan_atomic##n##_fetch_add(volatile std::uint##n##_t* p, std::uint##n##_t x, int) { \
    return __atomic_fetch_add(p, x, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                      \
  std::uint##n##_t __tsan_atomic##n##_fetch_sub(volatile std::uint##n##_t* p, std::uint##n##_t x, int) { \
    return __atomic_fetch_sub(p, x, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                      \
  std::uint##n##_t __tsan_atomic##n##_fetch_or(volatile std::uint##n##_t* p, std::uint##n##_t x, int) {  \
    return __atomic_fetch_or(p, x, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                                      \
  int __tsan_atomic##n##_compare_exchange_strong(volatile std::uint##n##_t* p, std::uint##n##_t* wanted, \
                                                 std::uint##n##_t x, int, int) {                         \
    return __atomic_compare_exchange_n(p, wanted, x, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
  }

extern "C" {

SIMT_HOOKS(1)
SIMT_HOOKS(2)
SIMT_HOOKS(4)
SIMT_HOOKS(8)
SIMT_HOOKS(16)
SIMT_ATOMICS(8)
SIMT_ATOMICS(32)
SIMT_ATOMICS(64)

void __tsan_read_range(void* p, std::size_t n) {
  simt::examine_access(p, n, false, false, SIMT_CALLER);
}
void __tsan_write_range(void* p, std::size_t n) {
  simt::examine_access(p, n, true, false, SIMT_CALLER);
}
void __tsan_init() {
  called = true;
}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

}  // extern "C"
