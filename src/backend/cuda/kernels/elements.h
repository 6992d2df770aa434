// Tensors as kernels see them, and their elements.
#pragma once

#include <cassert>
#include <cstdint>
#include <type_traits>

#include "backend/cuda/runtime/launch.h"
#include "tensor/tensor.h"

namespace nmt::cuda {

using bf16 = __nv_bfloat16;
using f16 = __half;

/// The rows of a tensor. An empty tensor has no data.
template <class T>
struct Rows {
  T* data = nullptr;
  std::int64_t stride = 0;
  __device__ T* operator[](std::int64_t row) const { return data + row * stride; }
  __device__ explicit operator bool() const { return data != nullptr; }
};

/// Returns the rows of a tensor. T must be the tensor's type; const T for read-only access.
template <class T>
Rows<T> rows_of(const Tensor& x) {
  assert(!x || sizeof(T) == size_of(x.dtype()));
  return {x ? static_cast<T*>(x.raw()) : nullptr, x.row_stride()};
}
template <class T>
T* data_of(const Tensor& x) {
  return rows_of<T>(x).data;
}

/// Converts to f32, exactly.
__device__ inline float widen(float x) {
  return x;
}
__device__ inline float widen(bf16 x) {
  return __bfloat162float(x);
}
__device__ inline float widen(f16 x) {
  return __half2float(x);
}
__device__ inline float widen(std::int8_t x) {
  return x;
}

/// Converts from f32, rounding to nearest, ties to even.
template <class T>
__device__ T narrow(float x) {
  if constexpr (std::is_same_v<T, bf16>)
    return __float2bfloat16_rn(x);
  else if constexpr (std::is_same_v<T, f16>)
    return __float2half_rn(x);
  else
    return x;
}

/// Calls f(T()) for the C++ type of `dtype`: float, bf16 or f16.
template <class F>
void with_type(DType dtype, F&& f) {
  if (dtype == DType::bf16)
    f(bf16());
  else if (dtype == DType::f16)
    f(f16());
  else
    f(float());
}

/// Returns the number of blocks for these items, with `each` items per block.
inline unsigned blocks(std::int64_t items, std::int64_t each) {
  return static_cast<unsigned>((items + each - 1) / each);
}

}  // namespace nmt::cuda
