#include "backend/cuda/libraries/cudnn_graph.h"

#include <algorithm>
#include <string>

namespace nmt::cuda {
namespace {

GraphDescriptor make(cudnnBackendDescriptorType_t type) {
  cudnnBackendDescriptor_t descriptor = nullptr;
  check(cudnn().backend_create(type, &descriptor));
  return {descriptor, [](void* x) { static_cast<void>(cudnn().backend_destroy(x)); }};
}

/// Returns cuDNN's name for the type of an attribute.
template <class T>
constexpr cudnnBackendAttributeType_t kTypeOf = CUDNN_TYPE_INT64;
template <>
constexpr auto kTypeOf<std::int32_t> = CUDNN_TYPE_INT32;
template <>
constexpr auto kTypeOf<bool> = CUDNN_TYPE_BOOLEAN;
template <>
constexpr auto kTypeOf<char> = CUDNN_TYPE_CHAR;
template <>
constexpr auto kTypeOf<void*> = CUDNN_TYPE_VOID_PTR;
template <>
constexpr auto kTypeOf<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <>
constexpr auto kTypeOf<cudnnPointwiseMode_t> = CUDNN_TYPE_POINTWISE_MODE;
template <>
constexpr auto kTypeOf<cudnnReduceTensorOp_t> = CUDNN_TYPE_REDUCTION_OPERATOR_TYPE;
template <>
constexpr auto kTypeOf<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;

template <class Values>
void set_all(const GraphDescriptor& descriptor, cudnnBackendAttributeName_t name, const Values& values) {
  check(cudnn().backend_set(descriptor.get(), name, kTypeOf<typename Values::value_type>, std::ssize(values),
                            values.data()));
}

template <class T>
void set(const GraphDescriptor& descriptor, cudnnBackendAttributeName_t name, const T& value) {
  set_all(descriptor, name, std::array{value});
}

void set(const GraphDescriptor& descriptor, cudnnBackendAttributeName_t name, const GraphDescriptor& value) {
  cudnnBackendDescriptor_t raw = value.get();
  check(cudnn().backend_set(descriptor.get(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &raw));
}

void finalize(const GraphDescriptor& descriptor) {
  check(cudnn().backend_finalize(descriptor.get()));
}

Extents packed(const Extents& extents) {
  Extents strides;
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0; stride *= extents[i]) strides[i] = stride;
  return strides;
}

Extents common(const Extents& a, const Extents& b) {
  Extents extents;
  std::transform(a.begin(), a.end(), b.begin(), extents.begin(),
                 [](std::int64_t x, std::int64_t y) { return std::max(x, y); });
  return extents;
}

constexpr Extents kScalar = {1, 1, 1, 1};

/// Returns the engines that cuDNN recommends for an operation graph, best first; cuDNN declares that they run
/// on the GPU.
std::vector<GraphDescriptor> recommended(const GraphDescriptor& graph, const GraphDescriptor& gpu) {
  const GraphDescriptor heuristics = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_HEUR_MODE_A);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, gpu);
  finalize(heuristics);
  std::int64_t count = 0;
  check(cudnn().backend_get(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
                            &count, nullptr));
  if (count == 0) return {};
  std::vector<GraphDescriptor> configurations;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (std::int64_t i = 0; i < count; ++i)
    raw.push_back(configurations.emplace_back(make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)).get());
  check(cudnn().backend_get(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                            count, &count, raw.data()));
  configurations.resize(static_cast<std::size_t>(count));
  return configurations;
}

/// Whether an engine gives equal bits every time.
bool is_deterministic(const GraphDescriptor& configuration) {
  const GraphDescriptor engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t raw = engine.get();
  std::int64_t count = 0;
  check(cudnn().backend_get(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                            1, &count, &raw));
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes;
  check(cudnn().backend_get(engine.get(), CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                            std::ssize(notes), &count, notes.data()));
  return std::find(notes.begin(), notes.begin() + count, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) ==
         notes.begin() + count;
}

}  // namespace

GraphDescriptor describe_gpu(int number) {
  GraphDescriptor gpu = make(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  set(gpu, CUDNN_ATTR_DEVICEPROP_DEVICE_ID, std::int32_t{number});
  finalize(gpu);
  return gpu;
}

GraphDescriptor describe_gpu(const std::string& properties) {
  GraphDescriptor gpu = make(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  set_all(gpu, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, properties);
  finalize(gpu);
  return gpu;
}

GraphTensor CudnnGraph::add_tensor(const GraphDescriptor& tensor, std::int64_t id, cudnnDataType_t type,
                                   const Extents& extents, const Extents& strides) {
  constexpr std::int64_t kAlignment = 16;
  set(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
  set(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  set_all(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, extents);
  set_all(tensor, CUDNN_ATTR_TENSOR_STRIDES, strides);
  set(tensor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment);
  finalize(tensor);
  descriptors_.push_back(tensor);
  return {tensor, extents};
}

GraphTensor CudnnGraph::in_memory(std::int64_t id, cudnnDataType_t type, const Extents& extents,
                                  const Extents& strides, const GraphTensor* begins) {
  const GraphDescriptor tensor = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  if (begins != nullptr) set(tensor, CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC, begins->descriptor);
  return add_tensor(tensor, id, type, extents, strides);
}

GraphTensor CudnnGraph::value(std::int64_t id) {
  const GraphDescriptor tensor = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  set(tensor, CUDNN_ATTR_TENSOR_IS_BY_VALUE, true);
  return add_tensor(tensor, id, CUDNN_DATA_FLOAT, kScalar, kScalar);
}

GraphTensor CudnnGraph::between(cudnnDataType_t type, const Extents& extents, const Extents& strides) {
  const GraphDescriptor tensor = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  set(tensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL, true);
  return add_tensor(tensor, next_id_++, type, extents, strides);
}

GraphTensor CudnnGraph::between(cudnnDataType_t type, const Extents& extents) {
  return between(type, extents, packed(extents));
}

void CudnnGraph::add_operation(const GraphDescriptor& operation, const std::vector<GraphDescriptor>& parts) {
  finalize(operation);
  operations_.push_back(operation);
  descriptors_.insert(descriptors_.end(), parts.begin(), parts.end());
}

void CudnnGraph::add_pointwise(const Pointwise& how, const GraphTensor& y, const GraphTensor& x,
                               const GraphTensor& b, const GraphTensor& condition) {
  const GraphDescriptor function = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  set(function, CUDNN_ATTR_POINTWISE_MODE, how.mode);
  set(function, CUDNN_ATTR_POINTWISE_MATH_PREC, how.type);
  if (how.mode == CUDNN_POINTWISE_GEN_INDEX) set(function, CUDNN_ATTR_POINTWISE_AXIS, how.axis);
  finalize(function);
  const GraphDescriptor operation = make(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  set(operation, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, function);
  set(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x.descriptor);
  if (b.descriptor) set(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b.descriptor);
  if (condition.descriptor) set(operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, condition.descriptor);
  set(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y.descriptor);
  add_operation(operation, {function});
}

GraphTensor CudnnGraph::apply(cudnnPointwiseMode_t mode, const GraphTensor& x) {
  GraphTensor y = between(CUDNN_DATA_FLOAT, x.extents);
  add_pointwise({mode, CUDNN_DATA_FLOAT}, y, x);
  return y;
}

GraphTensor CudnnGraph::apply(cudnnPointwiseMode_t mode, const GraphTensor& x, const GraphTensor& b) {
  return apply_as(CUDNN_DATA_FLOAT, mode, x, b);
}

GraphTensor CudnnGraph::apply_as(cudnnDataType_t type, cudnnPointwiseMode_t mode, const GraphTensor& x,
                                 const GraphTensor& b) {
  GraphTensor y = between(type, common(x.extents, b.extents));
  apply_into(y, mode, x, b);
  return y;
}

void CudnnGraph::apply_into(const GraphTensor& y, cudnnPointwiseMode_t mode, const GraphTensor& x,
                            const GraphTensor& b) {
  add_pointwise({mode, CUDNN_DATA_FLOAT}, y, x, b);
}

GraphTensor CudnnGraph::compare(cudnnPointwiseMode_t mode, const GraphTensor& x, const GraphTensor& b) {
  GraphTensor y = between(CUDNN_DATA_BOOLEAN, common(x.extents, b.extents));
  add_pointwise({mode, CUDNN_DATA_BOOLEAN}, y, x, b);
  return y;
}

GraphTensor CudnnGraph::index(const GraphTensor& x, std::int64_t axis) {
  GraphTensor y = between(CUDNN_DATA_INT32, x.extents);
  add_pointwise({CUDNN_POINTWISE_GEN_INDEX, CUDNN_DATA_INT32, axis}, y, x);
  return y;
}

GraphTensor CudnnGraph::select(const GraphTensor& condition, const GraphTensor& x,
                               const GraphTensor& otherwise) {
  GraphTensor y = between(CUDNN_DATA_FLOAT, x.extents);
  add_pointwise({CUDNN_POINTWISE_BINARY_SELECT, CUDNN_DATA_FLOAT}, y, x, otherwise, condition);
  return y;
}

GraphTensor CudnnGraph::reduce(cudnnReduceTensorOp_t sum, const GraphTensor& x) {
  const auto& [a, b, c, d] = x.extents;
  GraphTensor y = between(CUDNN_DATA_FLOAT, {a, b, c, 1});
  const GraphDescriptor function = make(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  set(function, CUDNN_ATTR_REDUCTION_OPERATOR, sum);
  set(function, CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  finalize(function);
  const GraphDescriptor operation = make(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  set(operation, CUDNN_ATTR_OPERATION_REDUCTION_DESC, function);
  set(operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x.descriptor);
  set(operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y.descriptor);
  add_operation(operation, {function});
  return y;
}

GraphTensor CudnnGraph::multiply(const GraphTensor& a, const GraphTensor& b) {
  const auto& [batch, heads, rows, sums] = a.extents;
  GraphTensor c = between(CUDNN_DATA_FLOAT, {batch, heads, rows, b.extents.back()});
  multiply_into(c, a, b);
  return c;
}

void CudnnGraph::multiply_into(const GraphTensor& c, const GraphTensor& a, const GraphTensor& b) {
  const GraphDescriptor function = make(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  set(function, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
  finalize(function);
  const GraphDescriptor operation = make(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  set(operation, CUDNN_ATTR_OPERATION_MATMUL_DESC, function);
  set(operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC, a.descriptor);
  set(operation, CUDNN_ATTR_OPERATION_MATMUL_BDESC, b.descriptor);
  set(operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC, c.descriptor);
  add_operation(operation, {function});
}

GraphTensor CudnnGraph::reshape(const GraphTensor& x, cudnnDataType_t type, const Extents& extents,
                                const Extents& strides) {
  GraphTensor y = between(type, extents, strides);
  const GraphDescriptor operation = make(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  set(operation, CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x.descriptor);
  set(operation, CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y.descriptor);
  add_operation(operation, {});
  return y;
}

std::vector<GraphDescriptor> CudnnGraph::engines(const GraphDescriptor& gpu) {
  const GraphDescriptor graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  std::vector<cudnnBackendDescriptor_t> raw;
  for (const GraphDescriptor& operation : operations_) raw.push_back(operation.get());
  check(cudnn().backend_set(graph.get(), CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                            std::ssize(raw), raw.data()));
  if (cudnn().backend_finalize(graph.get()) != CUDNN_STATUS_SUCCESS) return {};
  descriptors_.insert(descriptors_.end(), {graph, gpu});
  std::vector<GraphDescriptor> engines = recommended(graph, gpu);
  std::erase_if(engines, [](const GraphDescriptor& engine) { return !is_deterministic(engine); });
  return engines;
}

std::optional<GraphPlan> CudnnGraph::plan(const GraphDescriptor& gpu) {
  for (const GraphDescriptor& engine : engines(gpu)) {
    const GraphDescriptor plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    set(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, engine);
    set(plan, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, gpu);
    if (cudnn().backend_finalize(plan.get()) != CUDNN_STATUS_SUCCESS) continue;
    std::int64_t count = 0, bytes = 0;
    check(cudnn().backend_get(plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                              &count, &bytes));
    GraphPlan found{.descriptors = descriptors_, .workspace_bytes = static_cast<std::size_t>(bytes)};
    found.descriptors.insert(found.descriptors.end(), operations_.begin(), operations_.end());
    found.descriptors.insert(found.descriptors.end(), {engine, plan});
    return found;
  }
  return std::nullopt;
}

void run(const GraphPlan& plan, cudnnHandle_t handle, const std::vector<GraphArgument>& arguments,
         void* workspace) {
  std::vector<std::int64_t> ids;
  std::vector<void*> addresses;
  for (const GraphArgument& argument : arguments) {
    ids.push_back(argument.id);
    addresses.push_back(const_cast<void*>(argument.data));  // cuDNN knows which tensors it only reads
  }
  const GraphDescriptor pack = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  set_all(pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
  set_all(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, addresses);
  set(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace);
  finalize(pack);
  check(cudnn().backend_execute(handle, plan.descriptors.back().get(), pack.get()));
}

}  // namespace nmt::cuda
