#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <string>

#include "backend/cuda/kernels/attention/sequence_tables.h"
#include "backend/cuda/libraries/cudnn_attention_graphs.h"
#include "backend/cuda/libraries/cudnn_descriptors.h"
#include "backend/cuda/libraries/cudnn_handle.h"
#include "backend/cuda/libraries/fused_operations.h"
#include "common/error.h"

namespace nmt::cuda {
namespace {

constexpr std::int64_t kWidestHead = 128;  // wider heads have not been tested with cuDNN
constexpr std::int64_t kShortest = 64;     // minimum length of a graph

/// Returns the planned size for a size. Batches vary all the time, and a plan takes half a second, so only a
/// few sizes have one.
std::int64_t planned(std::int64_t size) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
}

/// Whether cuDNN may read the tensor as the graphs declare it: elements of 16 bits in groups of 16 bytes.
bool is_aligned(const Tensor& x) {
  constexpr std::uint64_t kBytes = 16;
  const bool has_groups = x.dtype() != DType::f32;
  return reinterpret_cast<std::uintptr_t>(x.raw()) % kBytes == 0 &&
         (!has_groups || static_cast<std::uint64_t>(x.row_stride()) * size_of(x.dtype()) % kBytes == 0);
}

/// Whether cuDNN supports this attention and has been tested with it. The sources of a search are not in
/// order, and cuDNN's behavior is undocumented for that case.
bool is_offered(const Attention& attention, const AttentionTensors& tensors) {
  const std::int64_t width = attention.query.columns() / attention.heads;
  return attention.query.dtype() != DType::f32 && !attention.dropout.active() && !attention.weights &&
         !attention.bias && attention.key.columns() == attention.query.columns() &&
         attention.queries.longest > 0 && attention.keys.longest > 0 && attention.queries.in_order &&
         attention.keys.in_order && width % 8 == 0 && width <= kWidestHead &&
         std::all_of(tensors.begin(), tensors.end(), [](const Tensor& x) { return !x || is_aligned(x); });
}

AttentionShape shape_of(const Attention& attention, const AttentionTensors& tensors) {
  AttentionShape shape{.sequences = planned(attention.queries.count),
                       .queries = planned(std::max(attention.queries.longest, kShortest)),
                       .keys = planned(std::max(attention.keys.longest, kShortest)),
                       .heads = attention.heads,
                       .width = attention.query.columns() / attention.heads,
                       .dtype = cudnn_type_of(attention.query.dtype()),
                       .causal = attention.causal,
                       .is_gradient = bool(tensors[kOutputGradient])};
  std::transform(tensors.begin(), tensors.end(), shape.strides.begin(),
                 [](const Tensor& x) { return x ? x.row_stride() : 0; });
  if (!tensors[kLogSumExp]) shape.strides[kLogSumExp] = attention.heads;
  return shape;
}

/// Bytes that a graph needs in addition to the tensors of attention.
struct AttentionSizes {
  AttentionSizes(const AttentionShape& shape, const Attention& attention, const GraphPlan& plan)
      : begins(aligned(static_cast<std::size_t>(shape.sequences + 1) * sizeof(std::int64_t))),
        lengths(static_cast<std::size_t>(shape.sequences) * sizeof(std::int32_t)),
        statistics(sizeof(float) *
                   static_cast<std::size_t>(shape.is_gradient ? shape.sequences * shape.heads * shape.queries
                                                              : attention.query.rows() * shape.heads)),
        workspace(plan.workspace_bytes) {}

  std::size_t all() const {
    return kAttentionTensors * begins + 2 * aligned(lengths) + aligned(statistics) + workspace +
           kSpaceAlignment;
  }

  std::size_t begins, lengths;  // per tensor; per side
  std::size_t statistics;       // kOutputProducts, or log_sum_exp if it is not wanted
  std::size_t workspace;
};

/// Whether a tensor is written: a gradient, or a result of attention.
bool is_result(std::int64_t id, bool is_gradient) {
  return is_gradient ? id >= kQueryGradient : id == kOutput || id == kLogSumExp;
}

static_assert(kAttentionTensors <= SequenceTables::kMostTensors);

TableRows table_rows(const Tensor& x, bool are_keys, bool are_result) {
  return {.data = static_cast<unsigned char*>(x.raw()),
          .stride = x.row_stride(),
          .element_bytes = static_cast<int>(size_of(x.dtype())),
          .row_bytes = static_cast<int>(x.row_bytes()),
          .are_keys = are_keys,
          .are_result = are_result};
}

/// A graph and its arguments.
struct AttentionRun {
  void operator()(cudnnHandle_t handle) const {
    const float lowest = std::numeric_limits<float>::lowest(), one = 1;
    std::vector<GraphArgument> all = arguments;
    all.insert(all.end(), {{kScale, &scale}, {kLowest, &lowest}});
    if (is_gradient) all.push_back({kOne, &one});
    run(*plan, handle, all, workspace);
  }

  const GraphPlan* plan;
  bool is_gradient;
  float scale;
  void* workspace;
  std::vector<GraphArgument> arguments;  // in device memory
};

class CudnnAttention final : public FusedAttention {
 public:
  CudnnAttention(Stream& stream, int from, const Warn& warn)
      : stream_(stream), from_(from), warn_(warn), handle_(stream, warn, "other kernels compute attention") {}

  bool run(const Attention& attention, const Scratch& scratch) override {
    return run(attention, tensors_of(attention), scratch);
  }
  bool run(const AttentionBackward& attention, const Scratch& scratch) override {
    return !attention.d_scores && run(attention.forward, tensors_of(attention), scratch);
  }

 private:
  bool run(const Attention& attention, AttentionTensors tensors, const Scratch& scratch);
  /// Returns the plan; null if cuDNN has none.
  const GraphPlan* plan_of(const AttentionShape& shape);

  Stream& stream_;
  int from_;
  Warn warn_;
  CudnnHandle handle_;
  std::map<AttentionShape, std::optional<GraphPlan>> plans_;
};

const GraphPlan* CudnnAttention::plan_of(const AttentionShape& shape) {
  const auto [place, is_new] = plans_.try_emplace(shape);
  std::optional<GraphPlan>& plan = place->second;
  if (!is_new || handle_.get() == nullptr) return plan ? &*plan : nullptr;
  std::string why =
      fmt::format("cuDNN has no attention for {} heads of {} columns", shape.heads, shape.width);
  try {
    plan = attention_graph(shape).plan(describe_gpu(stream_.device()));
  } catch (const Error& error) {
    why = error.what();
  }
  if (plan) return &*plan;
  warn_(why + ": other kernels compute it");
  return nullptr;
}

bool CudnnAttention::run(const Attention& attention, AttentionTensors tensors, const Scratch& scratch) {
  if (std::max(attention.queries.longest, attention.keys.longest) < from_ || !is_offered(attention, tensors))
    return false;
  const AttentionShape shape = shape_of(attention, tensors);
  const GraphPlan* const plan = plan_of(shape);
  if (plan == nullptr) return false;
  const AttentionSizes sizes(shape, attention, *plan);
  Spaces spaces(scratch(sizes.all()));
  void* const statistics = spaces.take(sizes.statistics);
  if (!tensors[kLogSumExp])
    tensors[kLogSumExp] = view(statistics, attention.query.rows(), shape.heads, DType::f32);
  SequenceTables tables{.sequences = static_cast<int>(shape.sequences),
                        .query_lengths = spaces.take<int>(sizes.lengths),
                        .key_lengths = spaces.take<int>(sizes.lengths),
                        .begins = spaces.take<std::int64_t>(kAttentionTensors * sizes.begins),
                        .pitch = static_cast<std::int64_t>(sizes.begins / sizeof(std::int64_t))};
  AttentionRun graph{.plan = plan,
                     .is_gradient = shape.is_gradient,
                     .scale = scale_of<float>(attention.scale, shape.width),
                     .workspace = spaces.take(sizes.workspace),
                     .arguments = {{kQueryLengths, tables.query_lengths}, {kKeyLengths, tables.key_lengths}}};
  if (shape.is_gradient) graph.arguments.push_back({kOutputProducts, statistics});
  std::array<void*, kAttentionTensors> data{};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i]) continue;
    const auto id = static_cast<std::int64_t>(i);
    data[i] = tensors[i].raw();
    graph.arguments.insert(graph.arguments.end(),
                           {{id, data[i]}, {kBegins + id, tables.begins + tables.tensors * tables.pitch}});
    tables.rows[tables.tensors++] =
        table_rows(tensors[i], has_key_rows(id), is_result(id, shape.is_gradient));
  }
  fill(tables, attention.queries, attention.keys, stream_);
  const cudnnHandle_t handle = handle_.get();
  stream_.ask(
      [graph, handle](cudaStream_t stream) {
        check(cudnn().set_stream(handle, stream));
        graph(handle);
      },
      graph.plan, data, tables.begins, graph.workspace);
  return true;
}

}  // namespace

std::unique_ptr<FusedAttention> open_cudnn_attention(Stream& stream, int from, const Warn& warn) {
  return from == 0 ? nullptr : std::make_unique<CudnnAttention>(stream, from, warn);
}

}  // namespace nmt::cuda
