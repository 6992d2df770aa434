// A product as cublasLt wants it described.
#pragma once

#include <memory>

#include "backend/cuda/kernels/products/matrix.h"
#include "backend/cuda/libraries/cublaslt.h"

namespace nmt::cuda {

template <class T>
using Descriptor = std::unique_ptr<T, void (*)(T*)>;
using Layout = Descriptor<cublasLtMatrixLayoutOpaque_t>;
using Operation = Descriptor<cublasLtMatmulDescOpaque_t>;
using Preference = Descriptor<cublasLtMatmulPreferenceOpaque_t>;

/// cublasLt counts by columns: to it, a row-major matrix is its transpose, and a product out^T = b^T a^T. So
/// our b is its A, our a its B, and `out` is its C and D.
struct Descriptors {
  Operation operation;
  Layout a, b, out;
};
/// `tf32`: factors of f32 are rounded to TF32.
Descriptors describe(const MatrixProduct& product, bool tf32);

/// Bytes of which the begin of every row is a multiple, at most 16.
std::uint32_t alignment_of(const Matrix& x);

/// What an algorithm for products like this one may rely on: the alignment of its operands, and so many bytes
/// to work in. A sum may be taken in parts, which f32 holds and which are added up in order, where there are
/// few elements of out for the length of their sums: in products over rows, and in those of few rows.
Preference make_preference(const MatrixProduct& product, std::size_t workspace_bytes);

}  // namespace nmt::cuda
