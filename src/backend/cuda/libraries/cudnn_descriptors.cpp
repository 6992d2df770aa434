#include "backend/cuda/libraries/cudnn_descriptors.h"

#include <array>
#include <vector>

namespace nmt::cuda {
namespace {

/// Returns the math type: tensor cores for elements of 16 bits, and for f32 if they may be rounded.
cudnnMathType_t math_of(DType dtype, bool tf32) {
  if (dtype != DType::f32) return CUDNN_TENSOR_OP_MATH;
  return tf32 ? CUDNN_DEFAULT_MATH : CUDNN_FMA_MATH;
}

/// Describes the whole layer. Sums are in f32 for all types. The bias belongs to the input, outside of a
/// GRU's r (...).
std::optional<RnnDescriptor> make_layer(const FusedRecurrentLayer& layer, bool tf32) {
  cudnnRNNDescriptor_t descriptor = nullptr;
  check(cudnn().rnn_create(&descriptor));
  RnnDescriptor owned(descriptor, cudnn().rnn_destroy);
  const auto h = static_cast<std::int32_t>(layer.y.columns());
  constexpr std::int32_t kLayers = 1;
  const cudnnStatus_t status = cudnn().rnn_set(
      descriptor, CUDNN_RNN_ALGO_STANDARD, layer.cell == RecurrentCell::gru ? CUDNN_GRU : CUDNN_LSTM,
      layer.bias ? CUDNN_RNN_SINGLE_INP_BIAS : CUDNN_RNN_NO_BIAS, CUDNN_UNIDIRECTIONAL, CUDNN_LINEAR_INPUT,
      cudnn_type_of(layer.x.dtype()), CUDNN_DATA_FLOAT, math_of(layer.x.dtype(), tf32),
      static_cast<std::int32_t>(layer.x.columns()), h, h, kLayers, nullptr, CUDNN_RNN_PADDED_IO_DISABLED);
  if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) return std::nullopt;
  check(status);
  return owned;
}

/// Returns the lengths of all sequences, longest first.
std::vector<int> lengths_of(const std::vector<std::int64_t>& batch_sizes) {
  std::vector<int> lengths(static_cast<std::size_t>(batch_sizes[0]));
  for (const std::int64_t count : batch_sizes)
    for (std::int64_t s = 0; s < count; ++s) ++lengths[static_cast<std::size_t>(s)];
  return lengths;
}

RnnDataDescriptor make_rows(const Tensor& rows, const std::vector<int>& lengths) {
  cudnnRNNDataDescriptor_t descriptor = nullptr;
  check(cudnn().data_create(&descriptor));
  RnnDataDescriptor owned(descriptor, cudnn().data_destroy);
  check(cudnn().data_set(descriptor, cudnn_type_of(rows.dtype()), CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                         lengths[0], static_cast<int>(lengths.size()), static_cast<int>(rows.columns()),
                         lengths.data(), nullptr));
  return owned;
}

TensorDescriptor make_state(const Tensor& state) {
  TensorDescriptor descriptor = make_tensor_descriptor();
  const auto rows = static_cast<int>(state.rows()), h = static_cast<int>(state.columns());
  const std::array<int, 3> shape{1, rows, h}, strides{rows * h, h, 1};
  check(cudnn().tensor_set(descriptor.get(), cudnn_type_of(state.dtype()), static_cast<int>(shape.size()),
                           shape.data(), strides.data()));
  return descriptor;
}

}  // namespace

cudnnDataType_t cudnn_type_of(DType dtype) {
  return dtype == DType::bf16  ? CUDNN_DATA_BFLOAT16
         : dtype == DType::f16 ? CUDNN_DATA_HALF
                               : CUDNN_DATA_FLOAT;
}

std::optional<RnnDescriptors> describe(const FusedRecurrentLayer& layer, bool tf32) {
  std::optional<RnnDescriptor> whole = make_layer(layer, tf32);
  if (!whole) return std::nullopt;
  const std::vector<int> lengths = lengths_of(layer.batch_sizes);
  return RnnDescriptors{std::move(*whole), make_rows(layer.x, lengths), make_rows(layer.y, lengths),
                        make_state(layer.state)};
}

TensorDescriptor make_tensor_descriptor() {
  cudnnTensorDescriptor_t descriptor = nullptr;
  check(cudnn().tensor_create(&descriptor));
  return {descriptor, cudnn().tensor_destroy};
}

}  // namespace nmt::cuda
