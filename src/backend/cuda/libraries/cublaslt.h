// cublasLt, NVIDIA's library of matrix products, opened by name, so that the program also starts without it.
#pragma once

#include <cublasLt.h>

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

}  // namespace nmt::cuda
