// A recurrent layer as cuDNN wants it described.
#pragma once

#include <memory>
#include <optional>

#include "backend/cuda/libraries/cudnn.h"
#include "tensor/operations/fused_recurrent_layer.h"

namespace nmt::cuda {

/// f32, bf16 or f16.
cudnnDataType_t cudnn_type_of(DType dtype);

template <class T>
using CudnnDescriptor = std::unique_ptr<T, cudnnStatus_t (*)(T*)>;
using RnnDescriptor = CudnnDescriptor<cudnnRNNStruct>;
using RnnDataDescriptor = CudnnDescriptor<cudnnRNNDataStruct>;
using TensorDescriptor = CudnnDescriptor<cudnnTensorStruct>;

/// One layer in one direction: that of the whole, of the rows of x and of y, packed in the order of time, and
/// of the states that it begins with.
struct RnnDescriptors {
  RnnDescriptor layer;
  RnnDataDescriptor x, y;
  TensorDescriptor state;
};

/// By the shapes of the layer alone. `tf32`: products of f32 may round their factors to TF32. Nothing where
/// cuDNN has no layer of this type.
std::optional<RnnDescriptors> describe(const FusedRecurrentLayer& layer, bool tf32);

/// One that was not set.
TensorDescriptor make_tensor_descriptor();

}  // namespace nmt::cuda
