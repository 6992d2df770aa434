#include "backend/cuda/cublaslt.h"

#include <dlfcn.h>

#include "common/error.h"

namespace nmt::cuda {
namespace {

#ifdef NMT_CUDA_EMULATED

/// The emulator's, which is linked in.
struct Library {
  template <auto function>
  auto find(const char*) const {
    return function;
  }
};

#else

/// That of the release whose headers this was compiled with. It stays open.
class Library {
 public:
  Library() : name_(fmt::format("libcublasLt.so.{}", CUBLAS_VER_MAJOR)) {
    handle_ = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
      throw UsageError("cannot load {}: {}; install cuBLAS of CUDA {}, or set LD_LIBRARY_PATH to its folder",
                       name_, dlerror(), CUBLAS_VER_MAJOR);
  }

  template <auto function>
  auto find(const char* name) const {
    void* found = dlsym(handle_, name);
    if (found == nullptr) throw UsageError("{} lacks {}", name_, name);
    return reinterpret_cast<decltype(function)>(found);
  }

 private:
  std::string name_;
  void* handle_ = nullptr;
};

#endif

CublasLt open_cublaslt() {
  const Library library;
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
      .algorithm_get =
          library.find<&cublasLtMatmulAlgoConfigGetAttribute>("cublasLtMatmulAlgoConfigGetAttribute"),
      .matmul = library.find<&cublasLtMatmul>("cublasLtMatmul"),
  };
}

}  // namespace

const CublasLt& cublaslt() {
  static const CublasLt table = open_cublaslt();
  return table;
}

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error("the CUDA device failed: cublasLt: {}", cublaslt().status_string(status));
}

}  // namespace nmt::cuda
