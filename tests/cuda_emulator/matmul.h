// What cublasLt computes, with plain loops.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_emulator/elements.h"

namespace simt {

/// Column by column in device memory; `stride` elements from one column to the next.
struct Matrix {
  void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  std::int64_t rows = 0, columns = 0, stride = 0;

  std::byte* column(std::int64_t j) const;
  std::size_t column_bytes() const;
};

/// Do they share an element? Matrices may lie between each other's columns.
bool overlap(const Matrix& x, const Matrix& y);

/// d = f(alpha op(a) op(b) + beta c + bias), f the identity or max(0, x), op the identity or the transpose.
struct MatrixProduct {
  bool transpose_a = false, transpose_b = false, relu = false;
  bool tf32 = false;  // a and b are rounded to the 10 bits of TF32 first
  float alpha = 1, beta = 0;
  Matrix a, b, c, d;
  const void* bias = nullptr;  // an element a row of d, of its type; or none
};

/// Sums in f32, one after another.
void multiply(const MatrixProduct& product);

}  // namespace simt
