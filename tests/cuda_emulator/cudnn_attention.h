// Graphs of attention: how cuDNN knows them, and what they compute.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cuda_emulator/cudnn_graph.h"

namespace simt {

/// A graph that was recognised, and its tensors in memory and values by their roles: "query", "key", "value",
/// "output", "log_sum_exp", "query_lengths", "key_lengths", "scale", "lowest"; of gradients "one",
/// "output_products", "d_output", "d_query", "d_key" and "d_value", too.
struct AttentionGraph {
  bool is_gradient = false, is_causal = false;
  std::map<std::string, const GraphDescriptor*> tensors;
  std::int64_t sequences = 0, heads = 0, queries = 0, keys = 0, width = 0;
};

/// Nothing where it is another graph, or one that there is no engine for.
std::optional<AttentionGraph> recognize_attention(const GraphDescriptor& graph);

std::size_t workspace_bytes(const AttentionGraph& graph);

/// A graph with the addresses of its tensors by their ids.
struct AttentionCall {
  AttentionGraph graph;
  std::map<std::int64_t, void*> memory;
  void* workspace;
};

/// What is wrong with a call; empty: nothing. Addresses are looked at, and what is there when it runs.
std::string fault(const AttentionCall& call);
/// What it does when its turn comes: values are read now.
std::function<void()> prepare(const AttentionCall& call);

}  // namespace simt
