#include "backend/cuda/libraries/cudnn.h"

#include <cstdlib>

#include "backend/cuda/libraries/library.h"
#include "backend/cuda/runtime/status.h"

namespace nmt::cuda {
namespace {

Cudnn open_cudnn() {
  // cuBLAS, which cuDNN calls, gives equal bits from run to run only with workspaces of one size (cuBLAS,
  // "Results reproducibility").
  static_cast<void>(setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:2", 0));
  const Library library(fmt::format("libcudnn.so.{}", CUDNN_MAJOR),
                        fmt::format("install cuDNN {}, or set LD_LIBRARY_PATH to its folder", CUDNN_MAJOR));
  return {
      .create = library.find<&cudnnCreate>("cudnnCreate"),
      .destroy = library.find<&cudnnDestroy>("cudnnDestroy"),
      .set_stream = library.find<&cudnnSetStream>("cudnnSetStream"),
      .error_string = library.find<&cudnnGetErrorString>("cudnnGetErrorString"),
      .tensor_create = library.find<&cudnnCreateTensorDescriptor>("cudnnCreateTensorDescriptor"),
      .tensor_destroy = library.find<&cudnnDestroyTensorDescriptor>("cudnnDestroyTensorDescriptor"),
      .tensor_set = library.find<&cudnnSetTensorNdDescriptor>("cudnnSetTensorNdDescriptor"),
      .rnn_create = library.find<&cudnnCreateRNNDescriptor>("cudnnCreateRNNDescriptor"),
      .rnn_destroy = library.find<&cudnnDestroyRNNDescriptor>("cudnnDestroyRNNDescriptor"),
      .rnn_set = library.find<&cudnnSetRNNDescriptor_v8>("cudnnSetRNNDescriptor_v8"),
      .data_create = library.find<&cudnnCreateRNNDataDescriptor>("cudnnCreateRNNDataDescriptor"),
      .data_destroy = library.find<&cudnnDestroyRNNDataDescriptor>("cudnnDestroyRNNDataDescriptor"),
      .data_set = library.find<&cudnnSetRNNDataDescriptor>("cudnnSetRNNDataDescriptor"),
      .temporary_bytes = library.find<&cudnnGetRNNTempSpaceSizes>("cudnnGetRNNTempSpaceSizes"),
      .weight_bytes = library.find<&cudnnGetRNNWeightSpaceSize>("cudnnGetRNNWeightSpaceSize"),
      .weight_place = library.find<&cudnnGetRNNWeightParams>("cudnnGetRNNWeightParams"),
      .forward = library.find<&cudnnRNNForward>("cudnnRNNForward"),
      .backward_data = library.find<&cudnnRNNBackwardData_v8>("cudnnRNNBackwardData_v8"),
      .backward_weights = library.find<&cudnnRNNBackwardWeights_v8>("cudnnRNNBackwardWeights_v8"),
      .backend_create = library.find<&cudnnBackendCreateDescriptor>("cudnnBackendCreateDescriptor"),
      .backend_destroy = library.find<&cudnnBackendDestroyDescriptor>("cudnnBackendDestroyDescriptor"),
      .backend_set = library.find<&cudnnBackendSetAttribute>("cudnnBackendSetAttribute"),
      .backend_get = library.find<&cudnnBackendGetAttribute>("cudnnBackendGetAttribute"),
      .backend_finalize = library.find<&cudnnBackendFinalize>("cudnnBackendFinalize"),
      .backend_execute = library.find<&cudnnBackendExecute>("cudnnBackendExecute"),
  };
}

}  // namespace

const Cudnn& cudnn() {
  static const Cudnn table = open_cudnn();
  return table;
}

void check(cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS) fail(fmt::format("cuDNN: {}", cudnn().error_string(status)));
}

}  // namespace nmt::cuda
