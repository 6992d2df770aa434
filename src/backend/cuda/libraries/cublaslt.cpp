#include "backend/cuda/libraries/cublaslt.h"

#include "backend/cuda/libraries/library.h"
#include "backend/cuda/runtime/status.h"

namespace nmt::cuda {

namespace {

CublasLt open_cublaslt() {
  const Library library(
      fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR),
      fmt::format("install cuBLAS of CUDA {}, or set LD_LIBRARY_PATH to its folder", CUBLAS_VER_MAJOR));
  return {
      .create = library.find<&cublasLtCreate>("cublasLtCreate"),
      .destroy = library.find<&cublasLtDestroy>("cublasLtDestroy"),
      .status_string = library.find<&cublasLtGetStatusString>("cublasLtGetStatusString"),
      .operation_create = library.find<&cublasLtMatmulDescCreate>("cublasLtMatmulDescCreate"),
      .operation_destroy = library.find<&cublasLtMatmulDescDestroy>("cublasLtMatmulDescDestroy"),
      .operation_set = library.find<&cublasLtMatmulDescSetAttribute>("cublasLtMatmulDescSetAttribute"),
      .layout_create = library.find<&cublasLtMatrixLayoutCreate>("cublasLtMatrixLayoutCreate"),
      .layout_destroy = library.find<&cublasLtMatrixLayoutDestroy>("cublasLtMatrixLayoutDestroy"),
      .preference_create = library.find<&cublasLtMatmulPreferenceCreate>("cublasLtMatmulPreferenceCreate"),
      .preference_destroy = library.find<&cublasLtMatmulPreferenceDestroy>("cublasLtMatmulPreferenceDestroy"),
      .preference_set =
          library.find<&cublasLtMatmulPreferenceSetAttribute>("cublasLtMatmulPreferenceSetAttribute"),
      .algorithms = library.find<&cublasLtMatmulAlgoGetHeuristic>("cublasLtMatmulAlgoGetHeuristic"),
      .algorithm_check = library.find<&cublasLtMatmulAlgoCheck>("cublasLtMatmulAlgoCheck"),
      .matmul = library.find<&cublasLtMatmul>("cublasLtMatmul"),
  };
}

}  // namespace

const CublasLt& cublaslt() {
  static const CublasLt table = open_cublaslt();
  return table;
}

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(fmt::format("cublasLt: {}", cublaslt().status_string(status)));
}

namespace {

cudaDataType_t cuda_type_of(DType dtype) {
  return dtype == DType::bf16 ? CUDA_R_16BF : dtype == DType::f16 ? CUDA_R_16F : CUDA_R_32F;
}

Layout layout_of(const Matrix& x) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(cublaslt().layout_create(&layout, cuda_type_of(x.dtype), static_cast<std::uint64_t>(x.columns),
                                 static_cast<std::uint64_t>(x.rows), x.stride));
  return {layout, [](auto* it) { cublaslt().layout_destroy(it); }};
}

Operation make_operation(const MatrixProduct& product, bool tf32) {
  const bool round = tf32 && product.a.dtype == DType::f32;
  cublasLtMatmulDesc_t operation = nullptr;
  check(cublaslt().operation_create(&operation, round ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                                    CUDA_R_32F));
  Operation owned(operation, [](auto* it) { cublaslt().operation_destroy(it); });
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
    check(cublaslt().operation_set(operation, attribute, &value, sizeof value));
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, product.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_TRANSB, product.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  const bool has_bias = product.bias != nullptr;
  if (has_bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, product.bias);
  if (product.relu)
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, has_bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU);
  else if (has_bias)
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
  return owned;
}

}  // namespace

Descriptors describe(const MatrixProduct& product, bool tf32) {
  return {make_operation(product, tf32), layout_of(product.a), layout_of(product.b), layout_of(product.out)};
}

std::uint32_t alignment_of(const Matrix& x) {
  constexpr std::uint32_t kMost = 16;
  const auto stride = static_cast<std::uint32_t>(x.stride) * static_cast<std::uint32_t>(size_of(x.dtype));
  const auto bits = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(x.data)) | stride | kMost;
  return bits & (~bits + 1);
}

Preference make_preference(const MatrixProduct& product, std::size_t workspace_bytes) {
  cublasLtMatmulPreference_t preference = nullptr;
  check(cublaslt().preference_create(&preference));
  Preference owned(preference, [](auto* it) { cublaslt().preference_destroy(it); });
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    check(cublaslt().preference_set(preference, attribute, &value, sizeof value));
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{workspace_bytes});
  const bool in_parts = product.a.transposed || product.most_rows > 0;
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      std::uint32_t{in_parts ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE : CUBLASLT_REDUCTION_SCHEME_NONE});
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(product.b));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(product.a));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(product.out));
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(product.out));
  return owned;
}

}  // namespace nmt::cuda
