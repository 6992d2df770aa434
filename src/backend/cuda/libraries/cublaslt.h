// cublasLt, NVIDIA's library of matrix products, opened by name: the program starts where it is not
// installed.
#pragma once

#include <cublasLt.h>

namespace nmt::cuda {

/// The functions that are used here; each is documented under the name that cublaslt.cpp finds it by.
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

/// Opens the library when it is called first. Throws UsageError where there is none.
const CublasLt& cublaslt();

/// Fails with cublasLt's own words.
void check(cublasStatus_t status);

}  // namespace nmt::cuda
