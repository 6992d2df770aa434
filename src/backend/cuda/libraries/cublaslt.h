// cublasLt, NVIDIA's library of matrix products, opened by name, so that the program also starts without it.
#pragma once

#include <cublasLt.h>

#include <memory>

#include "backend/cuda/kernels/products/matrix.h"

namespace nmt::cuda {

/// The functions used here; each is documented by NVIDIA under the name that cublaslt.cpp looks up.
struct CublasLt {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtGetStatusString) status_string;
  decltype(&cublasLtMatmulDescCreate) operation_create;
  decltype(&cublasLtMatmulDescDestroy) operation_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) algorithms;
  decltype(&cublasLtMatmulAlgoCheck) algorithm_check;
  decltype(&cublasLtMatmul) matmul;
};

/// Returns the functions, opening the library on the first call. Throws UsageError if there is none.
const CublasLt& cublaslt();

/// Throws Error with cublasLt's own message unless the status is success.
void check(cublasStatus_t status);

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
