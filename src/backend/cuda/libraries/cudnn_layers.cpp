#include <fmt/format.h>

#include <vector>

#include "backend/cuda/kernels/memory.h"
#include "backend/cuda/libraries/cudnn_descriptors.h"
#include "backend/cuda/libraries/cudnn_handle.h"
#include "backend/cuda/libraries/fused_operations.h"
#include "common/error.h"

namespace nmt::cuda {
namespace {

struct Sizes {
  std::size_t weights = 0, workspace = 0, reserve = 0;
};

/// The memory of a layer in cuDNN's layout.
struct LayerSpaces {
  LayerSpaces(const FusedRecurrentLayer& layer, const Sizes& sizes) {
    Spaces for_backward(layer.kept.raw()), work(layer.workspace.raw());
    weights = for_backward.take(sizes.weights);
    reserve = for_backward.take(sizes.reserve);
    workspace = work.take(sizes.workspace);
    d_weights = work.take(sizes.weights);
  }
  static FusedLayerMemory memory(const Sizes& sizes) {
    return {.kept = aligned(sizes.weights) + aligned(sizes.reserve) + kSpaceAlignment,
            .workspace = aligned(sizes.workspace) + aligned(sizes.weights) + kSpaceAlignment};
  }

  void *weights, *reserve, *workspace, *d_weights;
};

void* address_of(const Tensor& x) {
  return x ? x.raw() : nullptr;
}

/// Rows of a weight or of its gradient, and the place of the rows of a gate in a weight space.
struct GateRows {
  Tensor own, in_space;
};

/// The rows of the existing tensors of a layer, gate by gate.
struct LayerRows {
  std::vector<GateRows> weights, biases;
};

void copy(const Tensor& to, const Tensor& from, Stream& stream) {
  const auto pitch = [](const Tensor& x) {
    return static_cast<std::size_t>(x.row_stride()) * size_of(x.dtype());
  };
  stream.call(cudaMemcpy2DAsync, to.raw(), pitch(to), from.raw(), pitch(from), to.row_bytes(),
              static_cast<std::size_t>(to.rows()), cudaMemcpyDeviceToDevice);
}

class CudnnLayers final : public FusedRecurrentLayers {
 public:
  CudnnLayers(Stream& stream, bool tf32, const Warn& warn)
      : stream_(stream),
        tf32_(tf32),
        warn_(warn),
        handle_(stream, warn, "recurrent layers are computed step by step") {}

  std::optional<FusedLayerMemory> memory(const FusedRecurrentLayer& layer) const override;
  void run(const FusedRecurrentLayer& layer) override;
  void run(const FusedRecurrentLayerBackward& layer) override;

 private:
  Sizes sizes_of(const RnnDescriptors& descriptors) const;
  /// Returns where `space` contains the rows of these tensors, which may be empty.
  LayerRows rows_in(void* space, const Sizes& sizes, const RnnDescriptors& descriptors,
                    const FusedRecurrentLayer& layer, const Tensor& input_weight, const Tensor& weight,
                    const Tensor& bias) const;

  Stream& stream_;
  bool tf32_;
  Warn warn_;
  mutable CudnnHandle handle_;
};

Sizes CudnnLayers::sizes_of(const RnnDescriptors& descriptors) const {
  const auto& [layer, x, y, state] = descriptors;
  Sizes sizes;
  check(cudnn().weight_bytes(handle_.get(), layer.get(), &sizes.weights));
  check(cudnn().temporary_bytes(handle_.get(), layer.get(), CUDNN_FWD_MODE_TRAINING, x.get(),
                                &sizes.workspace, &sizes.reserve));
  return sizes;
}

std::optional<FusedLayerMemory> CudnnLayers::memory(const FusedRecurrentLayer& layer) const {
  if (handle_.get() == nullptr) return std::nullopt;
  if (const std::optional<RnnDescriptors> descriptors = describe(layer, tf32_))
    return LayerSpaces::memory(sizes_of(*descriptors));
  warn_(fmt::format("cuDNN has no recurrent layers of {}: they are computed step by step",
                    name_of(layer.x.dtype())));
  return std::nullopt;
}

LayerRows CudnnLayers::rows_in(void* space, const Sizes& sizes, const RnnDescriptors& descriptors,
                               const FusedRecurrentLayer& layer, const Tensor& input_weight,
                               const Tensor& weight, const Tensor& bias) const {
  const std::int64_t h = layer.y.columns(), gates = gates_of(layer.cell);
  const TensorDescriptor matrix_shape = make_tensor_descriptor(), bias_shape = make_tensor_descriptor();
  LayerRows rows;
  for (std::int64_t product = 0; product < 2 * gates; ++product) {  // products of the input come first
    const std::int64_t gate = product % gates;
    const Tensor& matrix = product < gates ? input_weight : weight;
    void *matrix_place = nullptr, *bias_place = nullptr;
    check(cudnn().weight_place(handle_.get(), descriptors.layer.get(), 0, sizes.weights, space,
                               static_cast<std::int32_t>(product), matrix_shape.get(), &matrix_place,
                               bias_shape.get(), &bias_place));
    const DType dtype = layer.x.dtype();
    if (matrix)
      rows.weights.push_back(
          {matrix.slice_rows(gate * h, h), view(matrix_place, h, matrix.columns(), dtype)});
    if (bias && bias_place != nullptr)
      rows.biases.push_back({bias.slice_columns(gate * h, h), view(bias_place, 1, h, dtype)});
  }
  return rows;
}

void CudnnLayers::run(const FusedRecurrentLayer& layer) {
  const RnnDescriptors descriptors = describe(layer, tf32_).value();
  const Sizes sizes = sizes_of(descriptors);
  const LayerSpaces spaces(layer, sizes);
  const LayerRows rows =
      rows_in(spaces.weights, sizes, descriptors, layer, layer.input_weight, layer.weight, layer.bias);
  for (const GateRows& gate : rows.weights) copy(gate.in_space, gate.own, stream_);
  for (const GateRows& gate : rows.biases) convert(gate.in_space, gate.own, stream_);
  const auto state_shape = descriptors.state.get();
  const cudnnHandle_t handle = handle_.on_stream();
  const GpuWatchdog::Call call(*stream_.watchdog());
  check(cudnn().forward(handle, descriptors.layer.get(), CUDNN_FWD_MODE_TRAINING, nullptr,
                        descriptors.x.get(), layer.x.raw(), descriptors.y.get(), layer.y.raw(), state_shape,
                        layer.state.raw(), nullptr, state_shape, address_of(layer.memory), nullptr,
                        sizes.weights, spaces.weights, sizes.workspace, spaces.workspace, sizes.reserve,
                        spaces.reserve));
}

void CudnnLayers::run(const FusedRecurrentLayerBackward& backward) {
  const FusedRecurrentLayer& layer = backward.forward;
  const RnnDescriptors descriptors = describe(layer, tf32_).value();
  const Sizes sizes = sizes_of(descriptors);
  const LayerSpaces spaces(layer, sizes);
  stream_.call(cudaMemsetAsync, spaces.d_weights, 0, sizes.weights);  // cuDNN adds to them
  const auto x_rows = descriptors.x.get(), y_rows = descriptors.y.get();
  const auto state_shape = descriptors.state.get();
  const cudnnHandle_t handle = handle_.on_stream();
  {
    const GpuWatchdog::Call call(*stream_.watchdog());
    check(cudnn().backward_data(
        handle, descriptors.layer.get(), nullptr, y_rows, layer.y.raw(), backward.d_y.raw(), x_rows,
        backward.d_x.raw(), state_shape, layer.state.raw(), nullptr, backward.d_state.raw(), state_shape,
        address_of(layer.memory), nullptr, address_of(backward.d_memory), sizes.weights, spaces.weights,
        sizes.workspace, spaces.workspace, sizes.reserve, spaces.reserve));
    check(cudnn().backward_weights(handle, descriptors.layer.get(), CUDNN_WGRAD_MODE_ADD, nullptr, x_rows,
                                   layer.x.raw(), state_shape, layer.state.raw(), y_rows, layer.y.raw(),
                                   sizes.weights, spaces.d_weights, sizes.workspace, spaces.workspace,
                                   sizes.reserve, spaces.reserve));
  }
  const LayerRows rows = rows_in(spaces.d_weights, sizes, descriptors, layer, backward.d_input_weight,
                                 backward.d_weight, backward.d_bias);
  for (const GateRows& gate : rows.weights) add(gate.own, gate.in_space, stream_);
  for (const GateRows& gate : rows.biases) add(gate.own, gate.in_space, stream_);
}

}  // namespace

std::unique_ptr<FusedRecurrentLayers> open_cudnn_layers(Stream& stream, bool tf32, const Warn& warn) {
  return std::make_unique<CudnnLayers>(stream, tf32, warn);
}

}  // namespace nmt::cuda
