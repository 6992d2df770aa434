#include <algorithm>

#include "cuda_emulator/cudnn_graph.h"

namespace simt {
namespace {

using Names = std::vector<cudnnBackendAttributeName_t>;

/// The attributes with values of one type in a kind of descriptor.
struct Known {
  cudnnBackendDescriptorType_t descriptor;
  cudnnBackendAttributeType_t type;
  Names needed, possible = {};
};

const std::vector<Known>& known() {
  static const std::vector<Known> all = {
      {CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, CUDNN_TYPE_INT32, {CUDNN_ATTR_DEVICEPROP_DEVICE_ID}},
      {CUDNN_BACKEND_TENSOR_DESCRIPTOR,
       CUDNN_TYPE_INT64,
       {CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_ATTR_TENSOR_STRIDES,
        CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT}},
      {CUDNN_BACKEND_TENSOR_DESCRIPTOR, CUDNN_TYPE_DATA_TYPE, {CUDNN_ATTR_TENSOR_DATA_TYPE}},
      {CUDNN_BACKEND_TENSOR_DESCRIPTOR,
       CUDNN_TYPE_BOOLEAN,
       {},
       {CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_ATTR_TENSOR_IS_BY_VALUE}},
      {CUDNN_BACKEND_TENSOR_DESCRIPTOR,
       CUDNN_TYPE_BACKEND_DESCRIPTOR,
       {},
       {CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC}},
      {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_TYPE_POINTWISE_MODE, {CUDNN_ATTR_POINTWISE_MODE}},
      {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_TYPE_DATA_TYPE, {CUDNN_ATTR_POINTWISE_MATH_PREC}},
      {CUDNN_BACKEND_POINTWISE_DESCRIPTOR, CUDNN_TYPE_INT64, {}, {CUDNN_ATTR_POINTWISE_AXIS}},
      {CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
       CUDNN_TYPE_BACKEND_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
        CUDNN_ATTR_OPERATION_POINTWISE_YDESC},
       {CUDNN_ATTR_OPERATION_POINTWISE_BDESC, CUDNN_ATTR_OPERATION_POINTWISE_TDESC}},
      {CUDNN_BACKEND_REDUCTION_DESCRIPTOR,
       CUDNN_TYPE_REDUCTION_OPERATOR_TYPE,
       {CUDNN_ATTR_REDUCTION_OPERATOR}},
      {CUDNN_BACKEND_REDUCTION_DESCRIPTOR, CUDNN_TYPE_DATA_TYPE, {CUDNN_ATTR_REDUCTION_COMP_TYPE}},
      {CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR,
       CUDNN_TYPE_BACKEND_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_REDUCTION_DESC, CUDNN_ATTR_OPERATION_REDUCTION_XDESC,
        CUDNN_ATTR_OPERATION_REDUCTION_YDESC}},
      {CUDNN_BACKEND_MATMUL_DESCRIPTOR, CUDNN_TYPE_DATA_TYPE, {CUDNN_ATTR_MATMUL_COMP_TYPE}},
      {CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR,
       CUDNN_TYPE_BACKEND_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_MATMUL_DESC, CUDNN_ATTR_OPERATION_MATMUL_ADESC,
        CUDNN_ATTR_OPERATION_MATMUL_BDESC, CUDNN_ATTR_OPERATION_MATMUL_CDESC}},
      {CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
       CUDNN_TYPE_BACKEND_DESCRIPTOR,
       {CUDNN_ATTR_OPERATION_RESHAPE_XDESC, CUDNN_ATTR_OPERATION_RESHAPE_YDESC}},
      {CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
       CUDNN_TYPE_BACKEND_DESCRIPTOR,
       {CUDNN_ATTR_OPERATIONGRAPH_OPS}},
      {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
       CUDNN_TYPE_BACKEND_DESCRIPTOR,
       {CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP}},
      {CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, CUDNN_TYPE_HEUR_MODE, {CUDNN_ATTR_ENGINEHEUR_MODE}},
      {CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
       CUDNN_TYPE_BACKEND_DESCRIPTOR,
       {CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP}},
      {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, CUDNN_TYPE_INT64, {CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS}},
      {CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR,
       CUDNN_TYPE_VOID_PTR,
       {CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_ATTR_VARIANT_PACK_WORKSPACE}},
      {CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_TYPE_VOID_PTR, {}},  // the library fills these in
      {CUDNN_BACKEND_ENGINE_DESCRIPTOR, CUDNN_TYPE_VOID_PTR, {}},
  };
  return all;
}

bool holds(const Names& names, cudnnBackendAttributeName_t name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string fault_of_tensor(const GraphDescriptor& tensor) {
  constexpr std::size_t kDimensions = 4;  // that attention has
  const auto extents = tensor.all<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto strides = tensor.all<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  const auto is_positive = [](std::int64_t x) { return x > 0; };
  if (extents.size() != kDimensions || strides.size() != kDimensions) return "not of four dimensions";
  if (!std::all_of(extents.begin(), extents.end(), is_positive) ||
      !std::all_of(strides.begin(), strides.end(), is_positive))
    return "sizes and strides have to be at least 1";
  return {};
}

}  // namespace

bool is_known(cudnnBackendDescriptorType_t type) {
  return std::any_of(known().begin(), known().end(), [&](const Known& k) { return k.descriptor == type; });
}

std::string fault(const GraphDescriptor& descriptor, cudnnBackendAttributeName_t name,
                  const GraphAttribute& attribute) {
  const std::string which = "attribute " + std::to_string(name);
  if (descriptor.is_final) return which + " of a descriptor that has been finalized";
  const auto of = std::find_if(known().begin(), known().end(), [&](const Known& k) {
    return k.descriptor == descriptor.type && (holds(k.needed, name) || holds(k.possible, name));
  });
  if (of == known().end()) return which + " is not of this descriptor";
  if (of->type != attribute.type) return which + " has values of another type";
  if (attribute.count < 1) return which + " without values";
  if (attribute.type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
    for (std::size_t i = 0; i < attribute.bytes.size(); i += sizeof(void*)) {
      const GraphDescriptor* part = nullptr;
      std::memcpy(&part, &attribute.bytes[i], sizeof(void*));
      if (part == nullptr || !part->is_final) return which + " is a descriptor that was not finalized";
    }
  return {};
}

std::string fault(const GraphDescriptor& descriptor) {
  if (descriptor.is_final) return "a descriptor that has been finalized";
  for (const Known& of : known())
    for (const cudnnBackendAttributeName_t name : of.needed)
      if (of.descriptor == descriptor.type && !descriptor.has(name))
        return "attribute " + std::to_string(name) + " is missing";
  return descriptor.type == CUDNN_BACKEND_TENSOR_DESCRIPTOR ? fault_of_tensor(descriptor) : std::string();
}

std::size_t bytes_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
      return sizeof(bool);
    case CUDNN_TYPE_INT64:
      return sizeof(std::int64_t);
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return sizeof(void*);
    default:
      return sizeof(int);  // enumerations, and i32
  }
}

}  // namespace simt
