// Attention and its gradients as graphs of operations, which cuDNN knows as a whole.
#pragma once

#include <array>

#include "backend/cuda/libraries/cudnn_graph.h"
#include "tensor/operations/attention.h"

namespace nmt::cuda {

/// What is in memory. The number of a tensor is its id in a graph; AttentionTensors holds them by it.
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
  kAttentionTensors,                            // how many
  kBegins = kAttentionTensors,                  // + tensor: where its sequences begin, i64
  kQueryLengths = kBegins + kAttentionTensors,  // of each sequence, i32
  kKeyLengths,
  kOutputProducts,  // sum d_output output of each query row and head, f32 [sequences, heads, queries]
  kScale,           // values: 1 / sqrt(width),
  kLowest,          // the least f32, and
  kOne              // 1
};

/// Those of attention, or of its gradients; others are empty.
using AttentionTensors = std::array<Tensor, kAttentionTensors>;
AttentionTensors tensors_of(const Attention& attention);
AttentionTensors tensors_of(const AttentionBackward& attention);

/// Whether a tensor's rows are those of keys; the others are those of queries.
constexpr bool has_key_rows(std::int64_t tensor) {
  return tensor == kKey || tensor == kValue || tensor == kKeyGradient || tensor == kValueGradient;
}

/// What a graph depends on. Sequences may be fewer, and shorter, than it has: the others have length 0.
struct AttentionShape {
  std::int64_t sequences = 0, queries = 0, keys = 0;  // how many, and the longest
  std::int64_t heads = 0, width = 0;                  // of a head
  cudnnDataType_t dtype = CUDNN_DATA_BFLOAT16;
  bool causal = false, is_gradient = false;
  std::array<std::int64_t, kAttentionTensors> strides{};  // of rows

  auto operator<=>(const AttentionShape&) const = default;  // NOLINT(modernize-use-nullptr): there is no 0
};

/// output = softmax(scale query key^T) value, and log_sum_exp; or the gradients.
CudnnGraph attention_graph(const AttentionShape& shape);

}  // namespace nmt::cuda
