// cuDNN's graph API (the prototypes are its own), with engines for attention graphs. Violations of its
// documentation are findings.
#include "cuda_emulator/cudnn_graph.h"

#include <algorithm>
#include <mutex>

#include "cuda_emulator/cudnn.h"
#include "cuda_emulator/cudnn_attention.h"
#include "cuda_emulator/findings.h"
#include "cuda_emulator/streams.h"

namespace simt {
namespace {

GraphDescriptor& open(cudnnBackendDescriptor_t descriptor) {
  return *static_cast<GraphDescriptor*>(descriptor);
}

/// Whether the engines that cuDNN recommends for a graph, the fastest first, give the same bits every time.
std::vector<bool> engines_of(const GraphDescriptor& heuristics) {
  const std::optional<AttentionGraph> graph =
      recognize_attention(heuristics.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
  if (!graph || !settings().layers) return {};
  return graph->is_gradient ? std::vector{false, true} : std::vector{true};
}

cudnnStatus_t tell_engines(const GraphDescriptor& heuristics, std::int64_t room, std::int64_t* count,
                           cudnnBackendDescriptor_t* configurations) {
  const std::vector<bool> engines = engines_of(heuristics);
  *count = std::ssize(engines);
  for (std::size_t i = 0; i < engines.size() && static_cast<std::int64_t>(i) < room; ++i) {
    GraphDescriptor& configuration = open(configurations[i]);
    configuration.is_final = true;
    configuration.graph = &heuristics.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
    configuration.is_deterministic = engines[i];
  }
  return CUDNN_STATUS_SUCCESS;
}

/// Executes a plan with a variant pack.
AttentionCall call_of(const GraphDescriptor& plan, const GraphDescriptor& pack) {
  AttentionCall call{.graph = *recognize_attention(*plan.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).graph),
                     .memory = {},
                     .workspace = pack.get<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE)};
  const auto ids = pack.all<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto addresses = pack.all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  for (std::size_t i = 0; i < std::min(ids.size(), addresses.size()); ++i) call.memory[ids[i]] = addresses[i];
  return call;
}

}  // namespace
}  // namespace simt

using namespace simt;

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* descriptor) {
  if (!is_known(type)) return CUDNN_STATUS_NOT_SUPPORTED;
  born("a descriptor of cuDNN");
  *descriptor = new GraphDescriptor{type};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  died("a descriptor of cuDNN");
  delete static_cast<GraphDescriptor*>(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count, const void* values) {
  const auto* const begin = static_cast<const std::byte*>(values);
  const GraphAttribute attribute{
      type, count, {begin, begin + static_cast<std::size_t>(std::max<int64_t>(count, 0)) * bytes_of(type)}};
  if (const std::string wrong = fault(open(descriptor), name, attribute); !wrong.empty())
    return refuse_call(__func__, wrong);
  open(descriptor).attributes[name] = attribute;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  if (const std::string wrong = fault(open(descriptor)); !wrong.empty()) return refuse_call(__func__, wrong);
  open(descriptor).is_final = true;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t, int64_t room, int64_t* count,
                                       void* values) {
  if (descriptor == nullptr || !open(descriptor).is_final || count == nullptr)
    return refuse_call(__func__, "a null pointer, or a descriptor that was not finalized");
  const GraphDescriptor& from = open(descriptor);
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS)
    return tell_engines(from, values == nullptr ? 0 : room, count,
                        static_cast<cudnnBackendDescriptor_t*>(values));
  if (values == nullptr || room < 1) return refuse_call(__func__, "no room");
  *count = 1;
  switch (name) {
    case CUDNN_ATTR_ENGINECFG_ENGINE: {
      GraphDescriptor& engine = open(*static_cast<cudnnBackendDescriptor_t*>(values));
      engine.is_final = true;
      engine.is_deterministic = from.is_deterministic;
      return CUDNN_STATUS_SUCCESS;
    }
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE: {
      auto* const notes = static_cast<cudnnBackendNumericalNote_t*>(values);
      notes[0] = CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
      if (!from.is_deterministic && room > 1) notes[(*count)++] = CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC;
      return CUDNN_STATUS_SUCCESS;
    }
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
      *static_cast<std::int64_t*>(values) = static_cast<std::int64_t>(
          workspace_bytes(*recognize_attention(*from.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).graph)));
      return CUDNN_STATUS_SUCCESS;
    default:
      return refuse_call(__func__, "attribute " + std::to_string(name) + " cannot be asked for");
  }
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t pack) {
  const std::lock_guard lock(runtime_mutex());  // what is allocated is looked at
  if (handle == nullptr || !open(plan).is_final || !open(pack).is_final)
    return refuse_call(__func__, "no handle, or a descriptor that was not finalized");
  if (!open(plan).part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG).is_deterministic)
    return refuse_call(__func__, "an engine whose results are not the same bits every time");
  const AttentionCall call = call_of(open(plan), open(pack));
  if (const std::string wrong = fault(call); !wrong.empty()) return refuse_call(__func__, wrong);
  enqueue(handle->stream, {prepare(call), {}});
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
