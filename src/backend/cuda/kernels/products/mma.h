// Products of small matrices by a warp, on tensor cores, and how their fragments are loaded from shared
// memory. In terms of PTX: mma.sync.m16n8k16 (PTX ISA 8.x, 9.7.14.5.8) and ldmatrix (9.7.14.5.15). On the
// host the emulator uses the same layouts of fragments. With group = lane / 4 and pair = lane % 4 * 2, a
// register contains two adjacent elements, the first in its low half:
//   left, 16 x 16: register r has row group + 8 (r % 2), columns pair + 8 (r / 2);
//   right, 16 x 8: register r has rows pair + 8 r, column group;
//   sum, 16 x 8: element i has row group + 8 (i / 2), column pair + i % 2.
// So rounded sums can be used as left factors: the sums of columns 16 j ... 16 j + 7 are registers 0 and 1,
// and the sums of the next eight columns are registers 2 and 3.
#pragma once

#include <cstring>
#include <type_traits>

#include "backend/cuda/kernels/elements.h"

namespace nmt::cuda {

/// Returns two numbers, rounded, in one register; T is bf16 or f16.
template <class T>
__device__ unsigned pack(float low, float high) {
  std::conditional_t<std::is_same_v<T, bf16>, __nv_bfloat162, __half2> pair;
  pair.x = narrow<T>(low);
  pair.y = narrow<T>(high);
  unsigned bits = 0;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
}

#ifdef NMT_CUDA_EMULATED

/// Returns the halves of a register.
template <class T>
void unpack(unsigned bits, float& low, float& high) {
  struct Pair {
    T low, high;
  };
  const auto pair = std::bit_cast<Pair>(bits);
  low = widen(pair.low);
  high = widen(pair.high);
}

template <class T>
void multiply_fragments(float (&sum)[4], const unsigned (&left)[4], unsigned right_0, unsigned right_1,
                        simt::Where where = simt::Where::current()) {
  struct Fragments {
    unsigned left[4], right[2];
    float sum[4];
  } own{{left[0], left[1], left[2], left[3]}, {right_0, right_1}, {sum[0], sum[1], sum[2], sum[3]}};
  simt::collective(
      ~0u, &own, sizeof own,
      [](simt::Slots slots, unsigned) {
        float a[16][16], b[16][8];
        for (int lane = 0; lane < 32; ++lane) {
          const auto& one = simt::slot<Fragments>(slots, lane);
          const int group = lane / 4, pair = lane % 4 * 2;
          for (int r = 0; r < 4; ++r) {
            float* to = &a[group + 8 * (r % 2)][pair + 8 * (r / 2)];
            unpack<T>(one.left[r], to[0], to[1]);
          }
          for (int r = 0; r < 2; ++r)
            unpack<T>(one.right[r], b[pair + 8 * r][group], b[pair + 8 * r + 1][group]);
        }
        for (int lane = 0; lane < 32; ++lane)
          for (int i = 0; i < 4; ++i) {
            float& own_sum = simt::slot<Fragments>(slots, lane).sum[i];
            own_sum =
                simt::sum_products(own_sum, a[lane / 4 + 8 * (i / 2)], 1, &b[0][lane % 4 * 2 + i % 2], 8, 16);
          }
      },
      where);
  for (int i = 0; i < 4; ++i) sum[i] = own.sum[i];
}

inline void load_matrices(unsigned (&r)[4], const void* row, bool transposed, simt::Where where) {
  struct Data {
    const void* row;
    bool transposed;
    unsigned r[4];
  } data{row, transposed, {}};
  simt::touch(row, 16, false);
  simt::collective(
      ~0u, &data, sizeof data,
      [](simt::Slots slots, unsigned) {
        std::uint16_t matrices[4][8][8];
        for (int lane = 0; lane < 32; ++lane)
          std::memcpy(matrices[lane / 8][lane % 8], simt::slot<Data>(slots, lane).row, 16);
        for (int lane = 0; lane < 32; ++lane) {
          auto& to = simt::slot<Data>(slots, lane);
          const int group = lane / 4, pair = lane % 4 * 2;
          for (int m = 0; m < 4; ++m) {
            const std::uint16_t(&from)[8][8] = matrices[m];
            to.r[m] = to.transposed ? from[pair][group] | unsigned{from[pair + 1][group]} << 16
                                    : from[group][pair] | unsigned{from[group][pair + 1]} << 16;
          }
        }
      },
      where);
  for (int m = 0; m < 4; ++m) r[m] = data.r[m];
}
inline void load_matrices(unsigned (&r)[4], const void* row, simt::Where where = simt::Where::current()) {
  load_matrices(r, row, false, where);
}
inline void load_matrices_transposed(unsigned (&r)[4], const void* row,
                                     simt::Where where = simt::Where::current()) {
  load_matrices(r, row, true, where);
}

#else

/// Computes sum += left right; T, the type of the factors, is bf16 or f16.
template <class T>
__device__ void multiply_fragments(float (&sum)[4], const unsigned (&left)[4], unsigned right_0,
                                   unsigned right_1) {
  if constexpr (std::is_same_v<T, bf16>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_0), "r"(right_1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_0), "r"(right_1));
}

/// Loads four matrices of 8 x 8 elements of 16 bits from shared memory; lane 8 m + i gives the address of row
/// i of matrix m, a multiple of 16. Register m receives row group, columns pair and pair + 1 of matrix m.
__device__ inline void load_matrices(unsigned (&r)[4], const void* row) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
/// Loads four matrices like load_matrices(), transposed: register m receives rows pair and pair + 1, column
/// group.
__device__ inline void load_matrices_transposed(unsigned (&r)[4], const void* row) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

#endif

/// In the following functions, `x` points to the corner of a 16 x 16 matrix in shared memory, whose rows are
/// `stride` elements apart.

/// Loads a left factor.
template <class T>
__device__ void load_left(unsigned (&r)[4], const T* x, int stride) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  load_matrices(r, x + lane % 16 * stride + lane / 16 * 8);
}
/// Loads a left factor, transposed.
template <class T>
__device__ void load_left_transposed(unsigned (&r)[4], const T* x, int stride) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  load_matrices_transposed(r, x + (lane % 8 + lane / 16 * 8) * stride + lane / 8 % 2 * 8);
}
/// Loads a right factor: registers 0 and 1 are its first eight columns, 2 and 3 the others.
template <class T>
__device__ void load_right(unsigned (&r)[4], const T* x, int stride) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  load_matrices_transposed(r, x + lane % 16 * stride + lane / 16 * 8);
}
/// Loads a right factor, transposed: registers 0 and 1 are its first eight rows, 2 and 3 the others.
template <class T>
__device__ void load_right_transposed(unsigned (&r)[4], const T* x, int stride) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  load_matrices(r, x + (lane % 8 + lane / 16 * 8) * stride + lane / 8 % 2 * 8);
}

}  // namespace nmt::cuda
