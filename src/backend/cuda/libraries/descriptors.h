// Descriptions of matrix products for cublasLt.
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

/// The descriptors of a product. cublasLt counts by columns: to it, a row-major matrix is its transpose, and
/// a product is out^T = b^T a^T. So our b is its A, our a its B, and `out` its C and D.
struct Descriptors {
  Operation operation;
  Layout a, b, out;
};
/// Describes a product. `tf32`: factors of f32 are rounded to TF32.
Descriptors describe(const MatrixProduct& product, bool tf32);

/// Returns the alignment of every row of x, in bytes, at most 16.
std::uint32_t alignment_of(const Matrix& x);

/// Returns the conditions for algorithms of products like this one: the alignment of its operands, and the
/// bytes of workspace. A sum may be split into parts, which are f32 and added in order, if there are few
/// elements of out relative to the length of their sums: in products over rows, and in products with few
/// rows.
Preference make_preference(const MatrixProduct& product, std::size_t workspace_bytes);

}  // namespace nmt::cuda
