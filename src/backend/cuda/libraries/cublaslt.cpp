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

}  // namespace nmt::cuda
