// Attention graphs: how the emulated cuDNN recognizes and computes them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cuda_emulator/cudnn_graph.h"

namespace simt {

/// A recognized graph with its tensors and values by their roles: "query", "key", "value", "output",
/// "log_sum_exp", "query_lengths", "key_lengths", "scale", "lowest"; for gradients also "one",
/// "output_products", "d_output", "d_query", "d_key" and "d_value".
struct AttentionGraph {
  bool is_gradient = false, is_causal = false;
  std::map<std::string, const GraphDescriptor*> tensors;
  std::int64_t sequences = 0, heads = 0, queries = 0, keys = 0, width = 0;
};

/// Recognizes an attention graph; nothing for any other graph, or one without an engine.
std::optional<AttentionGraph> recognize_attention(const GraphDescriptor& graph);

std::size_t workspace_bytes(const AttentionGraph& graph);

/// A graph with the addresses of its tensors by id.
struct AttentionCall {
  AttentionGraph graph;
  std::map<std::int64_t, void*> memory;
  void* workspace;
};

/// Returns what is wrong with a call; empty: nothing. Checks addresses now and contents when it runs.
std::string fault(const AttentionCall& call);
/// Returns the work of a call, to be done later; values are read now.
std::function<void()> prepare(const AttentionCall& call);

}  // namespace simt
