// The objects of cuDNN's descriptors, and the rules for its recurrent layers: those in its documentation, and
// those observed in the library.
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
  std::vector<int> shape, strides;  // empty: not set
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
  std::vector<int> lengths;  // empty: not set
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

/// Returns CUDNN_STATUS_NOT_SUPPORTED for unsupported settings; reports a finding for invalid ones.
cudnnStatus_t verify(const RnnSettings& settings, const char* function);
/// Verifies the rows of a packed batch in the same way.
cudnnStatus_t verify(const cudnnRNNDataStruct& rows, int longest, int sequences, const char* function);

/// Reports a finding and returns CUDNN_STATUS_BAD_PARAM.
cudnnStatus_t refuse_call(const char* function, const std::string& why);

/// Returns the sizes of a layer for these rows of x, which were set.
RecurrentShape shape_of(const cudnnRNNStruct& layer, const cudnnRNNDataStruct& x);

/// The descriptors of a call; `memory_state`: of the cell state of an LSTM.
struct RnnRequest {
  cudnnHandle_t handle;
  cudnnRNNDescriptor_t layer;
  cudnnRNNDataDescriptor_t x, y;
  cudnnTensorDescriptor_t state, memory_state;
};

/// A buffer argument, and its required size in bytes.
struct Buffer {
  const char* name;
  const void* data;
  std::size_t bytes;
  bool may_be_missing = false, is_written = false;
};

/// A workspace or reserve space: its size and the required size.
struct Space {
  const char* name;
  const void* data;
  std::size_t bytes, needed;
};

/// Returns what is wrong; empty: nothing. Descriptors must be set and fit together, buffers must be in device
/// memory, written buffers must not overlap any other, spaces must be large enough and aligned.
std::string fault(const RnnRequest& request);
std::string fault(const std::vector<Buffer>& buffers);
std::string fault(const std::vector<Space>& spaces);

}  // namespace simt
