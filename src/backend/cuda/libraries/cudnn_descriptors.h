// Descriptions of recurrent layers for cuDNN.
#pragma once

#include <memory>
#include <optional>

#include "backend/cuda/libraries/cudnn.h"
#include "tensor/operations/recurrent.h"

namespace nmt::cuda {

/// Returns the cuDNN type of f32, bf16 or f16.
cudnnDataType_t cudnn_type_of(DType dtype);

template <class T>
using CudnnDescriptor = std::unique_ptr<T, cudnnStatus_t (*)(T*)>;
using RnnDescriptor = CudnnDescriptor<cudnnRNNStruct>;
using RnnDataDescriptor = CudnnDescriptor<cudnnRNNDataStruct>;
using TensorDescriptor = CudnnDescriptor<cudnnTensorStruct>;

/// The descriptors of one layer in one direction: of the whole layer, of the rows of x and y, packed in
/// time-major order, and of the initial states.
struct RnnDescriptors {
  RnnDescriptor layer;
  RnnDataDescriptor x, y;
  TensorDescriptor state;
};

/// Describes a layer by its shapes. `tf32`: products of f32 may round their factors to TF32. Returns nothing
/// if cuDNN has no layer of this type.
std::optional<RnnDescriptors> describe(const FusedRecurrentLayer& layer, bool tf32);

/// Returns a descriptor that is not set.
TensorDescriptor make_tensor_descriptor();

}  // namespace nmt::cuda
