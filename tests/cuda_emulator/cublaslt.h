// The objects of cublasLt's descriptors, and the rules in its documentation.
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
  std::int32_t bias_type = -1;  // of D
  const void* bias = nullptr;
};

/// Alignments of A, B, C and D, in bytes.
using Alignments = std::array<std::uint32_t, 4>;

struct Preference {
  Kind kind = Kind::preference;
  std::uint64_t workspace = 0;
  std::uint32_t reduction_schemes = CUBLASLT_REDUCTION_SCHEME_MASK;
  Alignments alignments{256, 256, 256, 256};
};

/// The types that an algorithm supports, and its requirements.
struct Algorithm {
  Kind kind = Kind::algorithm;
  cudaDataType input = CUDA_R_32F, output = CUDA_R_32F;
  Alignments pointers{}, strides{};
  std::uint32_t workspace = 0;
  bool spans_far = false;            // whether some matrix has 2^31 elements or more
  std::uint64_t fewest_columns = 1;  // of D
};

/// Reports a finding and returns CUBLAS_STATUS_INVALID_VALUE.
cublasStatus_t refuse(const char* function, const std::string& why);

/// Stores a T in a handle or a semi-opaque struct of `bytes` bytes.
template <class T, class Opaque>
cublasStatus_t make(Opaque* opaque, std::size_t bytes, const T& inside) {
  static_assert(sizeof(T) <= sizeof(Opaque));
  if (opaque == nullptr || bytes < sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  new (opaque) T(inside);
  return CUBLAS_STATUS_SUCCESS;
}

/// Returns the stored object; null, and a finding, if it has another type.
template <class T, class Opaque>
const T* open(const Opaque* opaque, const char* function) {
  const T* inside = reinterpret_cast<const T*>(opaque);
  if (inside != nullptr && inside->kind == T{}.kind) return inside;
  refuse(function, "a descriptor that was not made, or of another kind");
  return nullptr;
}

/// The descriptors of one product; null for an invalid one.
struct Request {
  const MatmulOperation* operation;
  std::array<const Layout*, 4> layouts;
};
Request open_request(cublasLtMatmulDesc_t operation, std::initializer_list<cublasLtMatrixLayout_t> layouts,
                     const char* function);

/// Returns CUBLAS_STATUS_NOT_SUPPORTED for unsupported requests; reports a finding for contradictory ones.
cublasStatus_t verify(const Request& request, const char* function);

/// Returns an algorithm that relies on everything that the preferences and these layouts promise.
Algorithm demanding(const Request& request, const Preference& preference);

/// Returns an algorithm that is offered first, takes more workspace, and does not support results with few
/// columns.
Algorithm choosy(const Algorithm& algorithm);

/// Whether an algorithm supports a request for which it was not made.
bool fits(const Algorithm& algorithm, const Request& request);

/// Returns the product with no addresses but that of the bias.
MatrixProduct product_of(const Request& request, float alpha, float beta);

/// Returns what is wrong with the addresses or the workspace; empty: nothing.
std::string fault(const MatrixProduct& product, const Algorithm& algorithm);
std::string fault(const Algorithm& algorithm, const void* workspace, std::size_t bytes);

}  // namespace simt
