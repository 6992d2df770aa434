#include <algorithm>
#include <functional>

#include "cuda_emulator/cublaslt.h"
#include "cuda_emulator/findings.h"
#include "cuda_emulator/memory.h"

namespace simt {
namespace {

constexpr std::uint32_t kStrideAlignment = 16;  // for the instructions that are fast
constexpr std::uint32_t kBiasAlignment = 16;    // GPUs were seen to fail below, though no manual says so
constexpr std::uint64_t kWorkspaceAlignment = 256, kWorkspaceBytes = 4096;

bool wants_bias(const MatmulOperation& operation) {
  return operation.epilogue == CUBLASLT_EPILOGUE_BIAS || operation.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
}

bool wants_relu(const MatmulOperation& operation) {
  return operation.epilogue == CUBLASLT_EPILOGUE_RELU || operation.epilogue == CUBLASLT_EPILOGUE_RELU_BIAS;
}

bool offers(const Layout& layout) {
  return layout.type == CUDA_R_32F || layout.type == CUDA_R_16BF || layout.type == CUDA_R_16F;
}

bool offers(const MatmulOperation& o, cudaDataType input, cudaDataType output) {
  const bool exact = o.compute == CUBLAS_COMPUTE_32F || o.compute == CUBLAS_COMPUTE_32F_PEDANTIC;
  const bool tf32 = o.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && input == CUDA_R_32F;
  const bool plain = o.epilogue == CUBLASLT_EPILOGUE_DEFAULT || wants_bias(o) || wants_relu(o);
  return (exact || tf32) && plain && o.scale == CUDA_R_32F &&
         (o.bias_type == -1 || o.bias_type == static_cast<std::int32_t>(output));
}

/// Whether products of i8 are offered: their sums alone, with a transposed, in steps of four elements.
bool offers_integers(const Request& r) {
  constexpr std::uint64_t kStep = 4;
  const auto& [a, b, c, d] = r.layouts;
  const MatmulOperation& o = *r.operation;
  const auto in_steps = [](const Layout* l) { return l->stride % kStep == 0; };
  return b->type == CUDA_R_8I && c->type == CUDA_R_32I && d->type == CUDA_R_32I &&
         o.compute == CUBLAS_COMPUTE_32I && o.scale == CUDA_R_32I && o.a == CUBLAS_OP_T &&
         o.b == CUBLAS_OP_N && o.epilogue == CUBLASLT_EPILOGUE_DEFAULT && a->rows % kStep == 0 &&
         a->columns % kStep == 0 && in_steps(a) && in_steps(b) && in_steps(d);
}

bool offers(const Request& r) {
  const auto& [a, b, c, d] = r.layouts;
  if (a->type == CUDA_R_8I) return offers_integers(r);
  return offers(*a) && offers(*b) && offers(*c) && offers(*d) && a->type == b->type && c->type == d->type &&
         (d->type == a->type || d->type == CUDA_R_32F) && offers(*r.operation, a->type, d->type);
}

/// Returns contradictions in a request; empty: none.
std::string fault(const Request& r) {
  const auto& [a, b, c, d] = r.layouts;
  for (const Layout* l : r.layouts) {
    if (l->rows == 0 || l->columns == 0) return "a matrix without elements";
    if (l->stride < static_cast<std::int64_t>(l->rows)) return "a leading dimension below the number of rows";
  }
  const bool ta = r.operation->a != CUBLAS_OP_N, tb = r.operation->b != CUBLAS_OP_N;
  const auto m = ta ? a->columns : a->rows, k = ta ? a->rows : a->columns;
  const auto n = tb ? b->rows : b->columns, k_of_b = tb ? b->columns : b->rows;
  if (k != k_of_b || d->rows != m || d->columns != n || c->rows != m || c->columns != n)
    return "sizes that do not fit: op(A) is " + std::to_string(m) + " x " + std::to_string(k) +
           ", op(B) is " + std::to_string(k_of_b) + " x " + std::to_string(n) + ", D is " +
           std::to_string(d->rows) + " x " + std::to_string(d->columns);
  if (wants_bias(*r.operation) && r.operation->bias == nullptr) return "an epilogue with a bias, but no bias";
  return {};
}

/// The largest power of two, at most `most`, that divides x.
std::uint32_t alignment_of(std::uint64_t x, std::uint32_t most) {
  std::uint32_t alignment = most;
  while (alignment > 1 && x % alignment != 0) alignment /= 2;
  return alignment;
}

Alignments stride_alignments(const Request& request) {
  Alignments alignments{};
  std::transform(request.layouts.begin(), request.layouts.end(), alignments.begin(), [](const Layout* l) {
    return alignment_of(static_cast<std::uint64_t>(l->stride) * size_of(l->type), kStrideAlignment);
  });
  return alignments;
}

bool spans_far(const Request& request) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 31;
  return std::any_of(request.layouts.begin(), request.layouts.end(), [](const Layout* l) {
    return static_cast<std::uint64_t>(l->stride) * l->columns >= kFar;
  });
}

bool is_aligned(const void* data, std::uint64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % bytes == 0;
}

Matrix matrix_of(const Layout& layout) {
  return {.type = layout.type,
          .rows = static_cast<std::int64_t>(layout.rows),
          .columns = static_cast<std::int64_t>(layout.columns),
          .stride = layout.stride};
}

}  // namespace

cublasStatus_t refuse(const char* function, const std::string& why) {
  report(std::string(function) + ": " + why);
  return CUBLAS_STATUS_INVALID_VALUE;
}

Request open_request(cublasLtMatmulDesc_t operation, std::initializer_list<cublasLtMatrixLayout_t> layouts,
                     const char* function) {
  Request request{open<MatmulOperation>(operation, function), {}};
  std::transform(layouts.begin(), layouts.end(), request.layouts.begin(),
                 [&](cublasLtMatrixLayout_t l) { return open<Layout>(l, function); });
  return request;
}

cublasStatus_t verify(const Request& request, const char* function) {
  const auto& all = request.layouts;
  if (request.operation == nullptr || std::find(all.begin(), all.end(), nullptr) != all.end())
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!offers(request)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const std::string wrong = fault(request);
  return wrong.empty() ? CUBLAS_STATUS_SUCCESS : refuse(function, wrong);
}

Algorithm demanding(const Request& request, const Preference& preference) {
  const bool in_parts = preference.reduction_schemes != CUBLASLT_REDUCTION_SCHEME_NONE;
  return {
      .input = request.layouts[0]->type,
      .output = request.layouts[3]->type,
      .pointers = preference.alignments,
      .strides = stride_alignments(request),
      .workspace = static_cast<std::uint32_t>(in_parts ? std::min(preference.workspace, kWorkspaceBytes) : 0),
      .spans_far = spans_far(request)};
}

Algorithm choosy(const Algorithm& algorithm) {
  constexpr std::uint64_t kFewestColumns = 16;
  Algorithm other = algorithm;
  other.workspace *= 2;
  other.fewest_columns = kFewestColumns;
  return other;
}

bool fits(const Algorithm& algorithm, const Request& request) {
  const Alignments strides = stride_alignments(request);
  return algorithm.spans_far == spans_far(request) &&
         algorithm.fewest_columns <= request.layouts[3]->columns &&
         algorithm.input == request.layouts[0]->type && algorithm.output == request.layouts[3]->type &&
         std::equal(strides.begin(), strides.end(), algorithm.strides.begin(), std::greater_equal<>());
}

MatrixProduct product_of(const Request& request, float alpha, float beta) {
  const MatmulOperation& o = *request.operation;
  const auto& [a, b, c, d] = request.layouts;
  return {.transpose_a = o.a != CUBLAS_OP_N,
          .transpose_b = o.b != CUBLAS_OP_N,
          .relu = wants_relu(o),
          .tf32 = o.compute == CUBLAS_COMPUTE_32F_FAST_TF32,
          .alpha = alpha,
          .beta = beta,
          .a = matrix_of(*a),
          .b = matrix_of(*b),
          .c = matrix_of(*c),
          .d = matrix_of(*d),
          .bias = wants_bias(o) ? o.bias : nullptr};
}

std::string fault(const MatrixProduct& p, const Algorithm& algorithm) {
  const std::array<const Matrix*, 4> operands{&p.a, &p.b, &p.c, &p.d};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string name(1, "ABCD"[i]);
    if (!memory.holds(operands[i]->data)) return name + " is not in device memory";
    if (!is_aligned(operands[i]->data, algorithm.pointers[i]))
      return name + " is not a multiple of the " + std::to_string(algorithm.pointers[i]) +
             " bytes that the preferences promised";
  }
  if (overlap(p.d, p.a) || overlap(p.d, p.b)) return "D overlaps an operand";
  const bool in_place = p.c.data == p.d.data && p.c.stride == p.d.stride;
  if (p.beta != 0 && !in_place && overlap(p.d, p.c)) return "D overlaps C";
  if (p.bias != nullptr && (!memory.holds(p.bias) || !is_aligned(p.bias, kBiasAlignment)))
    return "the bias is not in device memory, or not a multiple of 16 bytes";
  return {};
}

std::string fault(const Algorithm& algorithm, const void* workspace, std::size_t bytes) {
  if (bytes < algorithm.workspace) return "less workspace than the algorithm needs";
  if (bytes > 0 && (!memory.holds(workspace) || !is_aligned(workspace, kWorkspaceAlignment)))
    return "a workspace that is not in device memory, or not a multiple of 256 bytes";
  return {};
}

}  // namespace simt
