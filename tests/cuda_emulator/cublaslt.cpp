// cublasLt (the prototypes are the toolkit's), as plain loops. Violations of its documentation are findings;
// unsupported requests return CUBLAS_STATUS_NOT_SUPPORTED.
#include "cuda_emulator/cublaslt.h"

#include <cstring>

#include "cuda_emulator/findings.h"
#include "cuda_emulator/shadow.h"
#include "cuda_emulator/streams.h"

namespace simt {
namespace {

/// Returns the object of a handle, for changing it.
template <class T, class Opaque>
T* change(Opaque* opaque, const char* function) {
  return const_cast<T*>(open<T>(opaque, function));
}

template <class T>
cublasStatus_t set(T& to, const void* from, std::size_t bytes, const char* function) {
  if (from == nullptr || bytes != sizeof(T))
    return refuse(function, "an attribute of " + std::to_string(sizeof(T)) + " bytes is set from " +
                                std::to_string(bytes));
  std::memcpy(&to, from, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque>
cublasStatus_t destroy(Opaque* opaque) {
  died("a descriptor of cublasLt");
  delete opaque;
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque>
Opaque* create() {
  born("a descriptor of cublasLt");
  return new Opaque{};
}

/// A handle belongs to the GPU that was current when it was made, which must be current when it is used.
bool is_of_current_gpu(cublasLtHandle_t handle, const char* function) {
  if (handle != nullptr && *reinterpret_cast<const int*>(handle) == current_gpu()) return true;
  refuse(function, "a handle of another GPU than the current one");
  return false;
}

/// Reads alpha or beta, which have the type of the scale.
float scalar_of(const Request& request, const void* scalar) {
  return request.operation->scale == CUDA_R_32I
             ? static_cast<float>(*static_cast<const std::int32_t*>(scalar))
             : *static_cast<const float*>(scalar);
}

/// Returns the value with which the real library may leave its workspace.
void spoil(void* workspace, std::size_t bytes) {
  if (bytes == 0) return;
  wrote(workspace, bytes, "cublasLtMatmul (workspace)");
  std::memset(workspace, kPoison, bytes);
}

}  // namespace
}  // namespace simt

using namespace simt;

extern "C" {

const char* cublasLtGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS         ? "success"
         : status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported"
         : first_finding() != nullptr            ? first_finding()
                                                 : "an invalid value";
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  born("a handle of cublasLt");
  *handle = reinterpret_cast<cublasLtHandle_t>(new int(current_gpu()));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  died("a handle of cublasLt");
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

// ---- layouts

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t bytes,
                                                 cudaDataType type, uint64_t rows, uint64_t columns,
                                                 int64_t stride) {
  return make(layout, bytes, Layout{.rows = rows, .columns = columns, .stride = stride, .type = type});
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t stride) {
  *layout = create<cublasLtMatrixLayoutOpaque_t>();
  return cublasLtMatrixLayoutInit_internal(*layout, sizeof **layout, type, rows, columns, stride);
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy(layout);
}

// ---- operations

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t operation, size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t scale) {
  return make(operation, bytes, MatmulOperation{.compute = compute, .scale = scale});
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *operation = create<cublasLtMatmulDescOpaque_t>();
  return cublasLtMatmulDescInit_internal(*operation, sizeof **operation, compute, scale);
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  return destroy(operation);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value,
                                              size_t bytes) {
  auto* o = change<MatmulOperation>(operation, __func__);
  if (o == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(o->a, value, bytes, __func__);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(o->b, value, bytes, __func__);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(o->epilogue, value, bytes, __func__);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(o->bias, value, bytes, __func__);
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      return set(o->bias_type, value, bytes, __func__);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

// ---- the choice of an algorithm

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t bytes) {
  return make(preference, bytes, Preference{});
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = create<cublasLtMatmulPreferenceOpaque_t>();
  return cublasLtMatmulPreferenceInit_internal(*preference, sizeof **preference);
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy(preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  auto* p = change<Preference>(preference, __func__);
  if (p == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(p->workspace, value, bytes, __func__);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return set(p->reduction_schemes, value, bytes, __func__);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return set(p->alignments[0], value, bytes, __func__);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return set(p->alignments[1], value, bytes, __func__);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return set(p->alignments[2], value, bytes, __func__);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set(p->alignments[3], value, bytes, __func__);
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int* found) {
  *found = 0;
  if (!is_of_current_gpu(handle, __func__)) return CUBLAS_STATUS_INVALID_VALUE;
  if (!settings().products) return CUBLAS_STATUS_NOT_SUPPORTED;
  const Request request = open_request(operation, {a, b, c, d}, __func__);
  const auto* preferred = open<Preference>(preference, __func__);
  const cublasStatus_t status = verify(request, __func__);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (wanted < 1 || preferred == nullptr) return refuse(__func__, "no room for a result, or no preferences");
  // Backends require sums in f32; these schemes add up parts that were rounded to D's type.
  constexpr unsigned kRounded = CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;
  const bool is_rounded = request.layouts[3]->type == CUDA_R_16BF || request.layouts[3]->type == CUDA_R_16F;
  if (is_rounded && (preferred->reduction_schemes & kRounded) != 0)
    return refuse(__func__, "the preferences allow sums of parts rounded to 16 bits");
  const Algorithm algorithm = demanding(request, *preferred);
  for (const Algorithm& candidate : {choosy(algorithm), algorithm}) {
    const bool serves = fits(candidate, request) && candidate.workspace <= preferred->workspace;
    if (!serves || (wanted == 1 && candidate.fewest_columns > 1)) continue;  // the usual one, if there is one
    cublasLtMatmulHeuristicResult_t& result = results[(*found)++];
    result = {};
    result.workspaceSize = candidate.workspace;
    result.wavesCount = 1;
    make(&result.algo, sizeof result.algo, candidate);
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* algorithm,
                                       cublasLtMatmulHeuristicResult_t* result) {
  if (!is_of_current_gpu(handle, __func__)) return CUBLAS_STATUS_INVALID_VALUE;
  const Request request = open_request(operation, {a, b, c, d}, __func__);
  const auto* chosen = open<Algorithm>(algorithm, __func__);
  const cublasStatus_t status = verify(request, __func__);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (chosen == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (!fits(*chosen, request)) return CUBLAS_STATUS_NOT_SUPPORTED;
  result->workspaceSize = chosen->workspace;
  result->wavesCount = 1;
  result->state = CUBLAS_STATUS_SUCCESS;
  return CUBLAS_STATUS_SUCCESS;
}

// ---- products

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha,
                              const void* A, cublasLtMatrixLayout_t a, const void* B,
                              cublasLtMatrixLayout_t b, const void* beta, const void* C,
                              cublasLtMatrixLayout_t c, void* D, cublasLtMatrixLayout_t d,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t workspace_bytes,
                              cudaStream_t stream) {
  const std::lock_guard lock(runtime_mutex());  // what is allocated is looked at
  const Request request = open_request(operation, {a, b, c, d}, __func__);
  const cublasStatus_t status = verify(request, __func__);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (alpha == nullptr || beta == nullptr) return refuse(__func__, "a null pointer");
  if (!is_of_current_gpu(handle, __func__)) return CUBLAS_STATUS_INVALID_VALUE;
  const Algorithm usual = demanding(request, Preference{});
  const Algorithm* chosen = algorithm == nullptr ? &usual : open<Algorithm>(algorithm, __func__);
  if (chosen == nullptr || !fits(*chosen, request))
    return refuse(__func__, "an algorithm for other types or strides");
  const float factor = scalar_of(request, alpha), before = scalar_of(request, beta);
  if (request.operation->scale == CUDA_R_32I && (factor != 1 || before != 0))
    return refuse(__func__, "sums of integers with a factor, or added to others, which the emulator lacks");
  MatrixProduct product = product_of(request, factor, before);
  product.a.data = const_cast<void*>(A);
  product.b.data = const_cast<void*>(B);
  product.c.data = const_cast<void*>(product.beta == 0 && C == nullptr ? D : C);
  product.d.data = D;
  for (const std::string& wrong : {fault(product, *chosen), fault(*chosen, workspace, workspace_bytes)})
    if (!wrong.empty()) return refuse(__func__, wrong);
  enqueue(stream, {[product, workspace, bytes = chosen->workspace] {
                     spoil(workspace, bytes);
                     multiply(product);
                   },
                   {}});
  return CUBLAS_STATUS_SUCCESS;
}

}  // extern "C"
