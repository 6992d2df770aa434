// cuDNN, NVIDIA's library of layers, opened by name, so that the program also starts without it.
#pragma once

#include <cudnn.h>

namespace nmt::cuda {

/// The functions used here; each is documented by NVIDIA under the name that cudnn.cpp looks up.
struct Cudnn {
  decltype(&cudnnCreate) create;
  decltype(&cudnnDestroy) destroy;
  decltype(&cudnnSetStream) set_stream;
  decltype(&cudnnGetErrorString) error_string;
  decltype(&cudnnCreateTensorDescriptor) tensor_create;
  decltype(&cudnnDestroyTensorDescriptor) tensor_destroy;
  decltype(&cudnnSetTensorNdDescriptor) tensor_set;
  decltype(&cudnnCreateRNNDescriptor) rnn_create;
  decltype(&cudnnDestroyRNNDescriptor) rnn_destroy;
  decltype(&cudnnSetRNNDescriptor_v8) rnn_set;
  decltype(&cudnnCreateRNNDataDescriptor) data_create;
  decltype(&cudnnDestroyRNNDataDescriptor) data_destroy;
  decltype(&cudnnSetRNNDataDescriptor) data_set;
  decltype(&cudnnGetRNNTempSpaceSizes) temporary_bytes;
  decltype(&cudnnGetRNNWeightSpaceSize) weight_bytes;
  decltype(&cudnnGetRNNWeightParams) weight_place;
  decltype(&cudnnRNNForward) forward;
  decltype(&cudnnRNNBackwardData_v8) backward_data;
  decltype(&cudnnRNNBackwardWeights_v8) backward_weights;
  decltype(&cudnnBackendCreateDescriptor) backend_create;
  decltype(&cudnnBackendDestroyDescriptor) backend_destroy;
  decltype(&cudnnBackendSetAttribute) backend_set;
  decltype(&cudnnBackendGetAttribute) backend_get;
  decltype(&cudnnBackendFinalize) backend_finalize;
  decltype(&cudnnBackendExecute) backend_execute;
};

/// Returns the functions, opening the library on the first call. Throws UsageError if there is none.
const Cudnn& cudnn();

/// Throws Error with cuDNN's own message unless the status is success.
void check(cudnnStatus_t status);

}  // namespace nmt::cuda
