// What stands behind the descriptors of cuDNN, and the rules that hold for its recurrent layers: those of its
// documentation, and what the library itself was seen to refuse.
#pragma once

#include <cudnn.h>

#include <string>
#include <vector>

#include "cuda_emulator/cudnn_layer.h"

struct cudnnContext {
  cudaStream_t stream = nullptr;
};
struct cudnnTensorStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int> shape, strides;  // empty: it was not set
};
struct cudnnRNNStruct {
  bool set = false;
  cudnnRNNMode_t cell = CUDNN_GRU;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_NO_BIAS;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int inputs = 0, hidden = 0;
};
struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int> lengths;  // empty: it was not set
  int columns = 0;
};

namespace simt {

/// The arguments of cudnnSetRNNDescriptor_v8.
struct RnnSettings {
  cudnnRNNAlgo_t algorithm;
  cudnnRNNMode_t cell;
  cudnnRNNBiasMode_t bias;
  cudnnDirectionMode_t direction;
  cudnnRNNInputMode_t input;
  cudnnDataType_t type, sums;
  int inputs, hidden, projection, layers;
  unsigned flags;
};

/// CUDNN_STATUS_NOT_SUPPORTED for what is not offered, a finding for what cannot be.
cudnnStatus_t verify(const RnnSettings& settings, const char* function);
/// The same for rows of a packed batch.
cudnnStatus_t verify(const cudnnRNNDataStruct& rows, int longest, int sequences, const char* function);

/// Tells a finding and answers with CUDNN_STATUS_BAD_PARAM.
cudnnStatus_t refuse_call(const char* function, const std::string& why);

/// The sizes of a layer for these rows of x, which were set.
RecurrentShape shape_of(const cudnnRNNStruct& layer, const cudnnRNNDataStruct& x);

/// What a call has of descriptors; `memory_state`: that of the memory of an LSTM.
struct RnnRequest {
  cudnnHandle_t handle;
  cudnnRNNDescriptor_t layer;
  cudnnRNNDataDescriptor_t x, y;
  cudnnTensorDescriptor_t state, memory_state;
};

/// A buffer that a call is given, and the bytes that it has to have.
struct Buffer {
  const char* name;
  const void* data;
  std::size_t bytes;
  bool may_be_missing = false, is_written = false;
};

/// A space that a call is given: its size and what it has to have at least.
struct Space {
  const char* name;
  const void* data;
  std::size_t bytes, needed;
};

/// What is wrong; empty: nothing. Descriptors have to be set and to fit together, buffers to be in device
/// memory, those that are written not to overlap any other, spaces to be large enough and aligned.
std::string fault(const RnnRequest& request);
std::string fault(const std::vector<Buffer>& buffers);
std::string fault(const std::vector<Space>& spaces);

}  // namespace simt
