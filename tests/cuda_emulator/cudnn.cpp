// cuDNN's recurrent layers (the prototypes are its own), as plain loops. Violations of its documentation, or
// of rules observed in the library, are findings; unsupported requests return CUDNN_STATUS_NOT_SUPPORTED.
#include "cuda_emulator/cudnn.h"

#include <algorithm>
#include <mutex>

#include "cuda_emulator/cudnn_reserve.h"
#include "cuda_emulator/findings.h"
#include "cuda_emulator/streams.h"

namespace simt {
namespace {

template <class T>
cudnnStatus_t create(T** descriptor) {
  born("a descriptor of cuDNN");
  *descriptor = new T{};
  return CUDNN_STATUS_SUCCESS;
}

template <class T>
cudnnStatus_t destroy(T* descriptor) {
  died("a descriptor of cuDNN");
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

/// The buffers of a call, and its workspaces.
struct Arguments {
  std::vector<Buffer> buffers;
  std::vector<Space> spaces;
};

/// Returns what is wrong with a call; empty: nothing.
std::string fault(const RnnRequest& request, Arguments arguments) {
  std::string wrong = fault(request);
  if (wrong.empty()) wrong = fault(arguments.spaces);
  for (const Space& space : arguments.spaces)
    arguments.buffers.push_back({space.name, space.data, space.bytes, true, true});
  return wrong.empty() ? fault(arguments.buffers) : wrong;
}

/// The sizes of everything that a call takes, after its descriptors have been checked.
struct Sizes {
  explicit Sizes(const RecurrentShape& s)
      : x(s.bytes_of(s.rows(), s.inputs)),
        y(s.bytes_of(s.rows(), s.hidden)),
        state(s.bytes_of(s.sequences(), s.hidden)),
        weights(WeightSpace(s).bytes()),
        workspace(workspace_bytes(s)),
        reserve(reserve_bytes(s)) {}
  std::size_t x, y, state, weights, workspace, reserve;
};

template <class Call>
cudnnStatus_t submit(const RnnRequest& request, const Call& call) {
  enqueue(request.handle->stream, {[call] { run(call); }, {}});
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace
}  // namespace simt

using namespace simt;

extern "C" {

const char* cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS         ? "CUDNN_STATUS_SUCCESS"
         : status == CUDNN_STATUS_NOT_SUPPORTED ? "CUDNN_STATUS_NOT_SUPPORTED"
         : first_finding() != nullptr           ? first_finding()
                                                : "CUDNN_STATUS_BAD_PARAM";
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  if (captures_here()) return refuse_call(__func__, "while a stream is being captured");
  return create(handle);
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return destroy(handle);
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return refuse_call(__func__, "no handle");
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

// ---- descriptors

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* descriptor) {
  return create(descriptor);
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t descriptor) {
  return destroy(descriptor);
}

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type,
                                         int dimensions, const int shape[], const int strides[]) {
  if (descriptor == nullptr || dimensions < 1)
    return refuse_call(__func__, "no descriptor, or no dimensions");
  *descriptor = {type, {shape, shape + dimensions}, {strides, strides + dimensions}};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* descriptor) {
  return create(descriptor);
}

cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t descriptor) {
  return destroy(descriptor);
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t algorithm,
                                       cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction, cudnnRNNInputMode_t input,
                                       cudnnDataType_t type, cudnnDataType_t sums, cudnnMathType_t,
                                       int32_t inputs, int32_t hidden, int32_t projection, int32_t layers,
                                       cudnnDropoutDescriptor_t, uint32_t flags) {
  if (descriptor == nullptr) return refuse_call(__func__, "no descriptor");
  const cudnnStatus_t status = verify(RnnSettings{algorithm, cell, bias, direction, input, type, sums, inputs,
                                                  hidden, projection, layers, flags},
                                      __func__);
  if (status == CUDNN_STATUS_SUCCESS) *descriptor = {true, cell, bias, type, inputs, hidden};
  return status;
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* descriptor) {
  return create(descriptor);
}

cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor) {
  return destroy(descriptor);
}

cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int longest, int sequences, int columns,
                                        const int lengths[], void*) {
  if (descriptor == nullptr || (lengths == nullptr && sequences > 0))
    return refuse_call(__func__, "a null pointer");
  if (layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED) return CUDNN_STATUS_NOT_SUPPORTED;
  const cudnnRNNDataStruct rows{type, {lengths, lengths + std::max(sequences, 0)}, columns};
  const cudnnStatus_t status = verify(rows, longest, sequences, __func__);
  if (status == CUDNN_STATUS_SUCCESS) *descriptor = rows;
  return status;
}

// ---- sizes and places

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t layer,
                                        cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t x,
                                        size_t* workspace, size_t* reserve) {
  if (handle == nullptr || layer == nullptr || !layer->set || x == nullptr || x->lengths.empty())
    return refuse_call(__func__, "a handle or a descriptor that was not set");
  const RecurrentShape shape = shape_of(*layer, *x);
  *workspace = workspace_bytes(shape);
  *reserve = mode == CUDNN_FWD_MODE_TRAINING ? reserve_bytes(shape) : 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t layer, size_t* bytes) {
  if (handle == nullptr || layer == nullptr || !layer->set)
    return refuse_call(__func__, "a handle or a descriptor that was not set");
  *bytes = WeightSpace(shape_of(*layer, {})).bytes();
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t layer, int32_t pseudo_layer,
                                      size_t bytes, const void* space, int32_t id,
                                      cudnnTensorDescriptor_t matrix_shape, void** matrix,
                                      cudnnTensorDescriptor_t bias_shape, void** bias) {
  if (handle == nullptr || layer == nullptr || !layer->set || matrix_shape == nullptr ||
      bias_shape == nullptr)
    return refuse_call(__func__, "a handle or a descriptor that was not set");
  const RecurrentShape shape = shape_of(*layer, {});
  const WeightSpace places(shape);
  if (pseudo_layer != 0 || id < 0 || id >= 2 * shape.gates() || bytes < places.bytes())
    return refuse_call(__func__, "there is no such product in a weight space of this size");
  const int columns = id < shape.gates() ? shape.inputs : shape.hidden;
  auto* const begin = const_cast<std::byte*>(static_cast<const std::byte*>(space));
  *matrix = begin + places.matrix(id);
  *matrix_shape = {layer->type, {1, shape.hidden, columns}, {shape.hidden * columns, columns, 1}};
  const bool has_bias = shape.has_bias && id < shape.gates();
  *bias = has_bias ? begin + places.bias(id) : nullptr;
  *bias_shape = {layer->type, {1, shape.hidden, 1}, {shape.hidden, 1, 1}};
  return CUDNN_STATUS_SUCCESS;
}

// ---- the layer and its gradient. Lengths in device memory are ignored, as in the library since 8.9.1.

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t layer, cudnnForwardMode_t mode,
                              const int32_t[], cudnnRNNDataDescriptor_t x_rows, const void* x,
                              cudnnRNNDataDescriptor_t y_rows, void* y, cudnnTensorDescriptor_t state_shape,
                              const void* state, void* last_state, cudnnTensorDescriptor_t memory_shape,
                              const void* memory, void* last_memory, size_t weight_bytes, const void* weights,
                              size_t work_bytes, void* workspace, size_t reserve_size, void* reserve) {
  const std::lock_guard lock(runtime_mutex());  // what is allocated is looked at
  const RnnRequest request{handle, layer, x_rows, y_rows, state_shape, memory_shape};
  if (const std::string wrong = fault(request); !wrong.empty()) return refuse_call(__func__, wrong);
  const RecurrentShape shape = shape_of(*layer, *x_rows);
  const Sizes sizes(shape);
  Arguments all{{{"x", x, sizes.x},
                 {"y", y, sizes.y, false, true},
                 {"hx", state, sizes.state, true},
                 {"hy", last_state, sizes.state, true, true},
                 {"cx", memory, sizes.state, true},
                 {"cy", last_memory, sizes.state, true, true}},
                {{"the weight space", weights, weight_bytes, sizes.weights},
                 {"the workspace", workspace, work_bytes, sizes.workspace}}};
  if (mode == CUDNN_FWD_MODE_TRAINING)
    all.spaces.push_back({"the reserve space", reserve, reserve_size, sizes.reserve});
  if (const std::string wrong = fault(request, all); !wrong.empty()) return refuse_call(__func__, wrong);
  return submit(request, LayerForward{shape, mode == CUDNN_FWD_MODE_TRAINING, x, state, memory, weights, y,
                                      last_state, last_memory, workspace, reserve});
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t layer, const int32_t[],
                                      cudnnRNNDataDescriptor_t y_rows, const void* y, const void* d_y,
                                      cudnnRNNDataDescriptor_t x_rows, void* d_x,
                                      cudnnTensorDescriptor_t state_shape, const void* state,
                                      const void* d_last_state, void* d_state,
                                      cudnnTensorDescriptor_t memory_shape, const void* memory,
                                      const void* d_last_memory, void* d_memory, size_t weight_bytes,
                                      const void* weights, size_t work_bytes, void* workspace,
                                      size_t reserve_size, void* reserve) {
  const std::lock_guard lock(runtime_mutex());
  const RnnRequest request{handle, layer, x_rows, y_rows, state_shape, memory_shape};
  if (const std::string wrong = fault(request); !wrong.empty()) return refuse_call(__func__, wrong);
  const RecurrentShape shape = shape_of(*layer, *x_rows);
  const Sizes sizes(shape);
  const Arguments all{{{"y", y, sizes.y},
                       {"dy", d_y, sizes.y},
                       {"dx", d_x, sizes.x, false, true},
                       {"hx", state, sizes.state, true},
                       {"dhy", d_last_state, sizes.state, true},
                       {"dhx", d_state, sizes.state, true, true},
                       {"cx", memory, sizes.state, true},
                       {"dcy", d_last_memory, sizes.state, true},
                       {"dcx", d_memory, sizes.state, true, true}},
                      {{"the weight space", weights, weight_bytes, sizes.weights},
                       {"the workspace", workspace, work_bytes, sizes.workspace},
                       {"the reserve space", reserve, reserve_size, sizes.reserve}}};
  if (const std::string wrong = fault(request, all); !wrong.empty()) return refuse_call(__func__, wrong);
  return submit(request, LayerBackwardData{shape, y, d_y, state, d_last_state, memory, d_last_memory, weights,
                                           d_x, d_state, d_memory, workspace, reserve});
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t layer,
                                         cudnnWgradMode_t mode, const int32_t[],
                                         cudnnRNNDataDescriptor_t x_rows, const void* x,
                                         cudnnTensorDescriptor_t state_shape, const void* state,
                                         cudnnRNNDataDescriptor_t y_rows, const void* y, size_t weight_bytes,
                                         void* d_weights, size_t work_bytes, void* workspace,
                                         size_t reserve_size, void* reserve) {
  const std::lock_guard lock(runtime_mutex());
  if (mode != CUDNN_WGRAD_MODE_ADD) return CUDNN_STATUS_NOT_SUPPORTED;
  const RnnRequest request{handle, layer, x_rows, y_rows, state_shape, state_shape};
  if (const std::string wrong = fault(request); !wrong.empty()) return refuse_call(__func__, wrong);
  const RecurrentShape shape = shape_of(*layer, *x_rows);
  const Sizes sizes(shape);
  const Arguments all{{{"x", x, sizes.x}, {"hx", state, sizes.state, true}, {"y", y, sizes.y}},
                      {{"the space of weights' gradients", d_weights, weight_bytes, sizes.weights},
                       {"the workspace", workspace, work_bytes, sizes.workspace},
                       {"the reserve space", reserve, reserve_size, sizes.reserve}}};
  if (const std::string wrong = fault(request, all); !wrong.empty()) return refuse_call(__func__, wrong);
  return submit(request, LayerBackwardWeights{shape, x, state, y, d_weights, workspace, reserve});
}

}  // extern "C"
