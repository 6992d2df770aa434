// The device side of CUDA for a plain host compiler, which nvcc knows without a header. A kernel is an
// ordinary function here; each of its threads is a fiber (block.cpp). Types and the host API come from the
// toolkit's own headers; the functions of the API are in runtime_*.cpp and cublaslt.cpp.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>

#include "cuda_emulator/rough.h"

#undef __shared__  // static shared memory is not emulated: kernels use shared_memory<T>() of cuda_api.h
#define __shared__ static_assert(false, "use shared_memory<T>()");
#undef __launch_bounds__
#define __launch_bounds__(...)

// Constants for kernels, so that the compiler does not instrument their reads (grid.cpp sets them).
extern const uint3 threadIdx asm("simt_thread_index"), blockIdx asm("simt_block_index");
extern const uint3 blockDim asm("simt_block_size"), gridDim asm("simt_grid_size");

namespace simt {

/// The source location of a call. (Clang 14 lacks std::source_location.)
struct Where {
  const char *file, *function;
  unsigned line;
  static constexpr Where current(const char* file = __builtin_FILE(),
                                 const char* function = __builtin_FUNCTION(),
                                 unsigned line = __builtin_LINE()) {
    return {file, function, line};
  }
  bool operator==(const Where& other) const {
    return line == other.line && (file == other.file || std::strcmp(file, other.file) == 0);
  }
};

struct Shape {
  dim3 grid, block;
  std::size_t shared_bytes = 0;
};

/// Adds a kernel to a stream.
void submit(cudaStream_t stream, const Shape& shape, std::function<void()> kernel, const void* function);
void* shared_memory();
void begin_kernel();  // from here on, memory accesses are the kernel's
void set_thread_index(uint3 index);

void block_barrier(Where where);

/// The primitive of shuffles, votes and matrix instructions: every lane of `mask` gives `bytes` bytes; the
/// last one to arrive runs `finish` on the lanes' slots; each lane takes its bytes back. It does not order
/// accesses to memory, which only a barrier does.
constexpr int kSlotBytes = 64;
using Slots = std::byte (*)[kSlotBytes];
void collective(unsigned mask, void* data, std::size_t bytes, void (*finish)(Slots, unsigned mask),
                Where where);
void warp_barrier(unsigned mask, Where where);

/// Checks memory that an instruction reads or writes for a lane, as for plain accesses of `bytes` aligned
/// bytes.
void touch(const void* address, std::size_t bytes, bool write, bool atomic = false);

/// Emulates cp.async of 16 bytes, or of zeros unless `exists`: the data arrives when the thread waits for it,
/// which it must do.
void copy_async(void* to, const void* from, bool exists);
void wait_for_copies();

template <class T>
T& slot(Slots slots, int lane) {
  return *reinterpret_cast<T*>(slots[lane]);
}

template <class T>
T shuffle(unsigned mask, T value, int source, Where where) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
  struct Data {
    T value;
    int source;
  } data{value, source};
  collective(
      mask, &data, sizeof data,
      [](Slots slots, unsigned) {
        T values[32];
        for (int i = 0; i < 32; ++i) values[i] = slot<Data>(slots, i).value;
        for (int i = 0; i < 32; ++i) {
          const int from = slot<Data>(slots, i).source & 31;
          slot<Data>(slots, i).value = values[from];  // lanes outside the mask hold poison
        }
      },
      where);
  return data.value;
}

inline unsigned ballot(unsigned mask, bool predicate, Where where) {
  unsigned data = predicate;
  collective(
      mask, &data, sizeof data,
      [](Slots slots, unsigned lanes) {
        unsigned votes = 0;
        for (int i = 0; i < 32; ++i)
          if (lanes >> i & 1) votes |= (slot<unsigned>(slots, i) & 1) << i;
        for (int i = 0; i < 32; ++i) slot<unsigned>(slots, i) = votes;
      },
      where);
  return data;
}

inline int lane() {
  return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31);
}

/// Not for floating-point numbers, whose sums would depend on the order of threads.
template <class T, class F>
__attribute__((no_sanitize("thread"), noinline)) T atomic(T* address, F change) {
  static_assert(std::is_integral_v<T>);
  touch(address, sizeof(T), true, true);
  const T old = *address;  // fibers are not interrupted here
  *address = change(old);
  return old;
}

}  // namespace simt

#define SIMT_WHERE simt::Where where = simt::Where::current()

inline void __syncthreads(SIMT_WHERE) {
  simt::block_barrier(where);
}
inline void __syncwarp(unsigned mask = ~0u, SIMT_WHERE) {
  simt::warp_barrier(mask, where);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIMT_WHERE) {
  const int lane = simt::lane();
  return simt::shuffle(mask, value, (lane & ~(width - 1)) | (source & (width - 1)), where);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, SIMT_WHERE) {
  const int lane = simt::lane(), source = lane ^ lanes;
  return simt::shuffle(mask, value, (source & ~(width - 1)) > (lane & ~(width - 1)) ? lane : source, where);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_WHERE) {
  const int lane = simt::lane(), source = lane - static_cast<int>(delta);
  return simt::shuffle(mask, value, (lane & (width - 1)) < static_cast<int>(delta) ? lane : source, where);
}
inline unsigned __ballot_sync(unsigned mask, int p, SIMT_WHERE) {
  return simt::ballot(mask, p != 0, where);
}

template <class T>
T atomicAdd(T* address, std::type_identity_t<T> x) {
  return simt::atomic(address, [=](T old) { return T(old + x); });
}
template <class T>
T atomicOr(T* address, std::type_identity_t<T> x) {
  return simt::atomic(address, [=](T old) { return T(old | x); });
}

using std::max;
using std::min;
// The error is from the CUDA C++ programming guide, "Mathematical functions".
inline float __expf(float x) {
  // PTX ISA, ex2: the result for zero is one.
  return x == 0 ? 1 : simt::off_by(std::exp(x), 2 + std::floor(std::abs(1.173f * x)), x);
}
inline float __fmul_rn(float x, float y) {
  const volatile float product = x * y;  // not fused with an addition
  return product;
}
inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __ffs(int x) {
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1;
}
inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
