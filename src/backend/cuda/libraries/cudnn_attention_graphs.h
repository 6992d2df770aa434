// Attention and its gradients as graphs of operations, which cuDNN computes as a whole.
#pragma once

#include <array>

#include "backend/cuda/libraries/cudnn_graph.h"
#include "tensor/operations/attention.h"

namespace nmt::cuda {

/// Ids of tensors and values in a graph; AttentionTensors is indexed by the ids of tensors.
enum AttentionId : std::int64_t {
  kQuery,
  kKey,
  kValue,
  kOutput,
  kLogSumExp,
  kOutputGradient,
  kQueryGradient,
  kKeyGradient,
  kValueGradient,
  kAttentionTensors,                            // number of tensors
  kBegins = kAttentionTensors,                  // + tensor: begins of its sequences, i64
  kQueryLengths = kBegins + kAttentionTensors,  // of each sequence, i32
  kKeyLengths,
  kOutputProducts,  // sum d_output output of each query row and head, f32 [sequences, heads, queries]
  kScale,           // values: 1 / sqrt(width),
  kLowest,          // the lowest f32, and
  kOne              // 1
};

/// The tensors of attention, or of its gradients; unused ones are empty.
using AttentionTensors = std::array<Tensor, kAttentionTensors>;
AttentionTensors tensors_of(const Attention& attention);
AttentionTensors tensors_of(const AttentionBackward& attention);

/// Whether the rows of a tensor are those of keys; the others have rows of queries.
constexpr bool has_key_rows(std::int64_t tensor) {
  return tensor == kKey || tensor == kValue || tensor == kKeyGradient || tensor == kValueGradient;
}

/// The properties of a graph. A batch may have fewer and shorter sequences: missing ones have length 0.
struct AttentionShape {
  std::int64_t sequences = 0, queries = 0, keys = 0;  // numbers, and longest sequences
  std::int64_t heads = 0, width = 0;                  // of a head
  cudnnDataType_t dtype = CUDNN_DATA_BFLOAT16;
  bool causal = false, is_gradient = false;
  std::array<std::int64_t, kAttentionTensors> strides{};  // of rows

  auto operator<=>(const AttentionShape&) const = default;  // NOLINT(modernize-use-nullptr): there is no 0
};

/// Returns the graph of output = softmax(scale query key^T) value and log_sum_exp, or of the gradients.
CudnnGraph attention_graph(const AttentionShape& shape);

}  // namespace nmt::cuda
