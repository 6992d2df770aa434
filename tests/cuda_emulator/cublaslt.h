// What stands behind the descriptors of cublasLt, and the rules that its documentation gives for them.
#pragma once

#include <cublasLt.h>

#include <array>
#include <initializer_list>
#include <new>
#include <string>

#include "cuda_emulator/matmul.h"

namespace simt {

enum class Kind : std::uint64_t { layout = 0x6c61796f7574, operation, preference, algorithm };

struct Layout {
  Kind kind = Kind::layout;
  std::uint64_t rows = 0, columns = 0;
  std::int64_t stride = 0;
  cudaDataType type = CUDA_R_32F;
};

struct MatmulOperation {
  Kind kind = Kind::operation;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cudaDataType scale = CUDA_R_32F;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  std::int32_t bias_type = -1;  // that of D
  const void* bias = nullptr;
};

/// Of A, B, C and D, in bytes.
using Alignments = std::array<std::uint32_t, 4>;

struct Preference {
  Kind kind = Kind::preference;
  std::uint64_t workspace = 0;
  std::uint32_t reduction_schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
  Alignments alignments{256, 256, 256, 256};
};

/// Which types it is for, and what it relies on.
struct Algorithm {
  Kind kind = Kind::algorithm;
  cudaDataType input = CUDA_R_32F, output = CUDA_R_32F;
  Alignments pointers{}, strides{};
  std::uint32_t workspace = 0;
  bool spans_far = false;            // whether some matrix has 2^31 elements or more
  std::uint64_t fewest_columns = 1;  // of D
};

/// Tells a finding and answers with CUBLAS_STATUS_INVALID_VALUE.
cublasStatus_t refuse(const char* function, const std::string& why);

/// Puts T behind a handle or into a semi-opaque struct of so many bytes.
template <class T, class Opaque>
cublasStatus_t make(Opaque* opaque, std::size_t bytes, const T& inside) {
  static_assert(sizeof(T) <= sizeof(Opaque));
  if (opaque == nullptr || bytes < sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  new (opaque) T(inside);
  return CUBLAS_STATUS_SUCCESS;
}

/// What was put there; nullptr, and a finding, where it is something else.
template <class T, class Opaque>
const T* open(const Opaque* opaque, const char* function) {
  const T* inside = reinterpret_cast<const T*>(opaque);
  if (inside != nullptr && inside->kind == T{}.kind) return inside;
  refuse(function, "a descriptor that was not made, or of another kind");
  return nullptr;
}

/// The descriptors of one product; nullptr where one was none.
struct Request {
  const MatmulOperation* operation;
  std::array<const Layout*, 4> layouts;
};
Request open_request(cublasLtMatmulDesc_t operation, std::initializer_list<cublasLtMatrixLayout_t> layouts,
                     const char* function);

/// CUBLAS_STATUS_NOT_SUPPORTED for what is not offered, a finding for what contradicts itself.
cublasStatus_t verify(const Request& request, const char* function);

/// An algorithm that relies on all that the preferences and these layouts promise.
Algorithm demanding(const Request& request, const Preference& preference);

/// One that is offered before it, takes more workspace, and serves no results of few columns.
Algorithm choosy(const Algorithm& algorithm);

/// Can it compute what it was not made for?
bool fits(const Algorithm& algorithm, const Request& request);

/// The product without its addresses, but for the bias.
MatrixProduct product_of(const Request& request, float alpha, float beta);

/// What is wrong with the addresses, or with the workspace; empty: nothing.
std::string fault(const MatrixProduct& product, const Algorithm& algorithm);
std::string fault(const Algorithm& algorithm, const void* workspace, std::size_t bytes);

}  // namespace simt
