// Computes cublasLt's products with plain loops.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda_emulator/elements.h"

namespace simt {

/// A column-major matrix in device memory; `stride` is the distance of columns in elements.
struct Matrix {
  void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  std::int64_t rows = 0, columns = 0, stride = 0;

  std::byte* column(std::int64_t j) const;
  std::size_t column_bytes() const;
};

/// Whether two matrices share an element. Their columns may be interleaved.
bool overlap(const Matrix& x, const Matrix& y);

/// d = f(alpha op(a) op(b) + beta c + bias), f the identity or max(0, x), op the identity or the transpose.
struct MatrixProduct {
  bool transpose_a = false, transpose_b = false, relu = false;
  bool tf32 = false;  // whether a and b are first rounded to the 10 bits of TF32
  float alpha = 1, beta = 0;
  Matrix a, b, c, d;
  const void* bias = nullptr;  // one element per row of d, of its type; null: none
};

/// Computes a product; sums in f32, one term after another, or exact ones of i8 in i32.
void multiply(const MatrixProduct& product);

}  // namespace simt
