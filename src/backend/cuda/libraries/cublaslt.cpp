#include "backend/cuda/libraries/cublaslt.h"

#include <algorithm>
#include <array>
#include <bit>

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

// If a product may have any number of rows, the algorithm is chosen for this number, which is typical of
// training, or of a search with some hundred hypotheses.
constexpr std::int64_t kTrainingRows = 4096, kInferenceRows = 512;
constexpr std::int64_t kMostRows = std::int64_t{1} << 20;
constexpr int kCandidates = 16;
// Represents any bias: only its alignment matters.
const void* const kBias = reinterpret_cast<const void*>(std::uintptr_t{16});

/// Whether cublasLt reports that it has nothing for some shape.
bool refused(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
         status == CUBLAS_STATUS_ARCH_MISMATCH;
}

/// Returns a matrix whose rows have exactly this alignment, as an example for all of that kind.
Matrix example(DType dtype, std::int64_t rows, std::int64_t columns, std::uint32_t alignment,
               bool transposed) {
  constexpr std::uint32_t kMostAlignment = 16;
  const auto step = static_cast<std::int64_t>(alignment / size_of(dtype));
  std::int64_t steps = (columns + step - 1) / step;
  if (alignment < kMostAlignment) steps |= 1;
  Matrix x;
  x.dtype = dtype;
  x.rows = rows;
  x.columns = columns;
  x.stride = steps * step;
  return transposed ? x.transpose() : x;
}

/// Returns the maximum rows with which these matrices stay within kMostElements.
std::int64_t most_rows_of(const Matrix& x, const Matrix& y) {
  return kMostElements / std::max({x.stride, y.stride, std::int64_t{1}});
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
  switch (dtype) {
    case DType::bf16:
      return CUDA_R_16BF;
    case DType::f16:
      return CUDA_R_16F;
    case DType::i8:
      return CUDA_R_8I;
    case DType::i32:
      return CUDA_R_32I;
    default:
      return CUDA_R_32F;
  }
}

Layout layout_of(const Matrix& x) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(cublaslt().layout_create(&layout, cuda_type_of(x.dtype), static_cast<std::uint64_t>(x.columns),
                                 static_cast<std::uint64_t>(x.rows), x.stride));
  return {layout, [](auto* it) { cublaslt().layout_destroy(it); }};
}

cublasComputeType_t arithmetic_of(DType dtype, bool tf32) {
  if (dtype == DType::i8) return CUBLAS_COMPUTE_32I;
  return tf32 && dtype == DType::f32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

Operation make_operation(const MatrixProduct& product, bool tf32) {
  const DType dtype = product.a.dtype;
  cublasLtMatmulDesc_t operation = nullptr;
  check(cublaslt().operation_create(&operation, arithmetic_of(dtype, tf32),
                                    dtype == DType::i8 ? CUDA_R_32I : CUDA_R_32F));
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

std::int64_t rows_at_once(const MatrixProduct& product) {
  const auto& [out, a, b, bias, relu, accumulate, most_rows, inference] = product;
  if (!a.transposed) return std::min(out.rows, most_rows_of(a, out));
  const bool in_parts = out.dtype == DType::f32 && bias == nullptr && !b.transposed;
  return in_parts ? std::min(a.rows, most_rows_of(a, b)) : a.rows;
}

MatrixProduct slice_rows(const MatrixProduct& product, std::int64_t begin, std::int64_t count) {
  MatrixProduct part = product;
  part.a = product.a.slice_rows(begin, count);
  if (product.a.transposed) {
    part.b = product.b.slice_rows(begin, count);
    part.accumulate = product.accumulate || begin > 0;
  } else {
    part.out = product.out.slice_rows(begin, count);
  }
  return part;
}

Algorithms::Algorithms(bool tf32, std::size_t most_workspace_bytes)
    : tf32_(tf32), most_workspace_bytes_(most_workspace_bytes) {
  check(cublaslt().create(&handle_));
}

Algorithms::~Algorithms() {
  cublaslt().destroy(handle_);
}

Algorithms::Kind Algorithms::kind_of(const MatrixProduct& product) {
  const auto& [out, a, b, bias, relu, accumulate, most_rows, inference] = product;
  const bool over_rows = a.transposed;
  const auto inner = static_cast<std::uint64_t>(product.inner());
  return {.input = a.dtype,
          .output = out.dtype,
          .a_transposed = a.transposed,
          .b_transposed = b.transposed,
          .bias = bias != nullptr,
          .relu = relu,
          .rows = over_rows       ? out.rows
                  : most_rows > 0 ? most_rows
                  : inference     ? kInferenceRows
                                  : kTrainingRows,
          .columns = out.columns,
          .inner = static_cast<std::int64_t>(over_rows ? std::bit_ceil(inner) : inner),
          .most_rows = most_rows,
          .a_alignment = alignment_of(a),
          .b_alignment = alignment_of(b),
          .out_alignment = alignment_of(out)};
}

MatrixProduct Algorithms::example_of(const Kind& kind, std::int64_t rows, std::int64_t inner) {
  const auto operand = [&](std::int64_t height, std::int64_t width, std::uint32_t alignment,
                           bool transposed) {
    return transposed ? example(kind.input, width, height, alignment, true)
                      : example(kind.input, height, width, alignment, false);
  };
  const MatrixProduct product{.out = example(kind.output, rows, kind.columns, kind.out_alignment, false),
                              .a = operand(rows, inner, kind.a_alignment, kind.a_transposed),
                              .b = operand(inner, kind.columns, kind.b_alignment, kind.b_transposed),
                              .bias = kind.bias ? kBias : nullptr,
                              .relu = kind.relu,
                              .most_rows = kind.most_rows};
  return slice_rows(product, 0, rows_at_once(product));
}

const Algorithm* Algorithms::of(const MatrixProduct& product) {
  const Kind kind = kind_of(product);
  auto found = chosen_.find(kind);
  if (found == chosen_.end()) found = chosen_.emplace(kind, choose(kind)).first;
  return found->second ? &*found->second : nullptr;
}

std::optional<Algorithm> Algorithms::choose(const Kind& kind) const {
  const MatrixProduct product = example_of(kind, kind.rows, kind.inner);
  const auto [operation, a, b, out] = describe(product, tf32_);
  const Preference preference = make_preference(product, most_workspace_bytes_);
  std::array<cublasLtMatmulHeuristicResult_t, kCandidates> candidates{};
  int count = 0;
  const cublasStatus_t status =
      cublaslt().algorithms(handle_, operation.get(), b.get(), a.get(), out.get(), out.get(),
                            preference.get(), kCandidates, candidates.data(), &count);
  if (refused(status)) return {};
  check(status);
  for (int i = 0; i < count; ++i) {
    const auto& candidate = candidates[static_cast<std::size_t>(i)];
    Algorithm algorithm{candidate.algo, candidate.workspaceSize};
    if (candidate.state == CUBLAS_STATUS_SUCCESS && serves_all(algorithm, kind)) return algorithm;
  }
  return {};
}

/// Raises the workspace to the size needed for this product.
bool Algorithms::serves(Algorithm& algorithm, const MatrixProduct& product) const {
  const auto [operation, a, b, out] = describe(product, tf32_);
  cublasLtMatmulHeuristicResult_t result{};
  const cublasStatus_t status = cublaslt().algorithm_check(
      handle_, operation.get(), b.get(), a.get(), out.get(), out.get(), &algorithm.configuration, &result);
  if (refused(status)) return false;
  check(status);
  algorithm.workspace_bytes = std::max(algorithm.workspace_bytes, result.workspaceSize);
  return algorithm.workspace_bytes <= most_workspace_bytes_;
}

bool Algorithms::serves_all(Algorithm& algorithm, const Kind& kind) const {
  if (kind.a_transposed)
    return serves(algorithm, example_of(kind, kind.rows, kind.inner / 2 + 1)) &&
           serves(algorithm, example_of(kind, kind.rows, kind.inner));
  const std::int64_t most = kind.most_rows > 0 ? kind.most_rows : kMostRows;
  return serves(algorithm, example_of(kind, 1, kind.inner)) &&
         serves(algorithm, example_of(kind, most, kind.inner));
}

}  // namespace nmt::cuda
