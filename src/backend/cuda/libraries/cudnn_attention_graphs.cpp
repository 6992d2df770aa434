#include "backend/cuda/libraries/cudnn_attention_graphs.h"

namespace nmt::cuda {
namespace {

constexpr Extents kPlain = {1, 1, 1, 1};
constexpr std::int64_t kQueryAxis = 2, kKeyAxis = 3;  // of scores

/// The tensors of a graph, and the steps that attention and its gradients share.
struct Parts {
  Parts(CudnnGraph& the_graph, const AttentionShape& the_shape)
      : graph(the_graph), shape(the_shape), dtype(the_shape.dtype) {}

  /// Adds a tensor [sequences, heads, rows, width] in packed rows of the batch.
  GraphTensor rows(AttentionId tensor) {
    return packed(tensor, dtype, {shape.sequences, shape.heads, length(tensor), shape.width},
                  {length(tensor) * stride(tensor), shape.width, stride(tensor), 1});
  }
  /// Adds a tensor that views the same memory as [sequences, heads, width, rows].
  GraphTensor transposed_rows(AttentionId tensor) {
    return packed(tensor, dtype, {shape.sequences, shape.heads, shape.width, length(tensor)},
                  {length(tensor) * stride(tensor), shape.width, 1, stride(tensor)});
  }
  /// Adds a tensor [sequences, heads, queries, 1].
  GraphTensor log_sum_exp() {
    return packed(kLogSumExp, CUDNN_DATA_FLOAT, {shape.sequences, shape.heads, shape.queries, 1},
                  {shape.queries * stride(kLogSumExp), 1, stride(kLogSumExp), 1});
  }

  /// Sets scores past the end of a sequence to the lowest number.
  GraphTensor hide_padding(const GraphTensor& scores) {
    const Extents each = {shape.sequences, 1, 1, 1};
    const GraphTensor query_lengths = graph.in_memory(kQueryLengths, CUDNN_DATA_INT32, each, kPlain);
    const GraphTensor key_lengths = graph.in_memory(kKeyLengths, CUDNN_DATA_INT32, each, kPlain);
    const GraphTensor query = graph.index(scores, kQueryAxis), key = graph.index(scores, kKeyAxis);
    const GraphTensor has_query = graph.compare(CUDNN_POINTWISE_CMP_LT, query, query_lengths);
    const GraphTensor has_key = graph.compare(CUDNN_POINTWISE_CMP_LT, key, key_lengths);
    return graph.select(graph.compare(CUDNN_POINTWISE_LOGICAL_AND, has_query, has_key), scores, lowest);
  }
  /// With `causal`, sets the scores of keys after a query to the lowest number.
  GraphTensor hide_later(const GraphTensor& scores) {
    if (!shape.causal) return scores;
    const GraphTensor query = graph.index(scores, kQueryAxis), key = graph.index(scores, kKeyAxis);
    return graph.select(graph.compare(CUDNN_POINTWISE_CMP_GE, query, key), scores, lowest);
  }

  CudnnGraph& graph;
  const AttentionShape& shape;
  cudnnDataType_t dtype;
  GraphTensor scale = graph.value(kScale), lowest = graph.value(kLowest);

 private:
  std::int64_t stride(AttentionId tensor) const { return shape.strides[static_cast<std::size_t>(tensor)]; }
  std::int64_t length(AttentionId tensor) const { return has_key_rows(tensor) ? shape.keys : shape.queries; }
  GraphTensor packed(AttentionId tensor, cudnnDataType_t type, const Extents& extents,
                     const Extents& strides) {
    const GraphTensor begins =
        graph.in_memory(kBegins + tensor, CUDNN_DATA_INT64, {shape.sequences + 1, 1, 1, 1}, kPlain);
    return graph.in_memory(tensor, type, extents, strides, &begins);
  }
};

/// Returns the graph of attention (Vaswani et al., 2017, 3.2.1).
void add_attention(CudnnGraph& graph, const AttentionShape& shape) {
  Parts parts(graph, shape);
  const GraphTensor products = graph.multiply(parts.rows(kQuery), parts.transposed_rows(kKey));
  const GraphTensor scores =
      parts.hide_later(parts.hide_padding(graph.apply(CUDNN_POINTWISE_MUL, products, parts.scale)));
  const GraphTensor largest = graph.reduce(CUDNN_REDUCE_TENSOR_MAX, scores);
  const GraphTensor weights =
      graph.apply(CUDNN_POINTWISE_EXP, graph.apply(CUDNN_POINTWISE_SUB, scores, largest));
  const GraphTensor total = graph.reduce(CUDNN_REDUCE_TENSOR_ADD, weights);
  graph.apply_into(parts.log_sum_exp(), CUDNN_POINTWISE_ADD, largest,
                   graph.apply(CUDNN_POINTWISE_LOG, total));
  graph.multiply_into(parts.rows(kOutput), graph.apply_as(parts.dtype, CUDNN_POINTWISE_DIV, weights, total),
                      parts.rows(kValue));
}

/// Returns the graph of the gradients. With p = softmax(s), s = scale q k: d_v = p^T d_o; d_p = d_o v; d_s =
/// p (d_p - sum d_o o); d_k = scale d_s^T q; d_q = scale d_s k.
void add_gradients(CudnnGraph& graph, const AttentionShape& shape) {
  Parts parts(graph, shape);
  const Extents rows_alone = {shape.sequences, shape.heads, shape.queries, 1};
  const Extents transposed = {shape.sequences, shape.heads, shape.keys, shape.queries};
  const Extents transposed_strides = {shape.heads * shape.queries * shape.keys, shape.queries * shape.keys, 1,
                                      shape.keys};
  const GraphTensor query = parts.rows(kQuery), key = parts.transposed_rows(kKey);
  const GraphTensor d_output = parts.rows(kOutputGradient);
  const GraphTensor output_products = graph.in_memory(kOutputProducts, CUDNN_DATA_FLOAT, rows_alone,
                                                      {shape.heads * shape.queries, shape.queries, 1, 1});
  graph.apply_into(
      output_products, CUDNN_POINTWISE_MUL,
      graph.reduce(CUDNN_REDUCE_TENSOR_ADD, graph.apply(CUDNN_POINTWISE_MUL, d_output, parts.rows(kOutput))),
      graph.value(kOne));
  const GraphTensor scores =
      parts.hide_padding(graph.apply(CUDNN_POINTWISE_MUL, graph.multiply(query, key), parts.scale));
  const GraphTensor weights = graph.apply(
      CUDNN_POINTWISE_EXP, parts.hide_later(graph.apply(CUDNN_POINTWISE_SUB, scores, parts.log_sum_exp())));
  graph.multiply_into(parts.rows(kValueGradient),
                      graph.reshape(weights, parts.dtype, transposed, transposed_strides), d_output);
  const GraphTensor d_weights = graph.multiply(d_output, parts.transposed_rows(kValue));
  const GraphTensor d_scores = graph.apply(
      CUDNN_POINTWISE_MUL,
      graph.apply(CUDNN_POINTWISE_MUL, graph.apply(CUDNN_POINTWISE_SUB, d_weights, output_products), weights),
      parts.scale);
  graph.multiply_into(parts.rows(kKeyGradient),
                      graph.reshape(d_scores, parts.dtype, transposed, transposed_strides), query);
  const GraphTensor key_rows =
      graph.reshape(key, CUDNN_DATA_FLOAT, {shape.sequences, shape.heads, shape.keys, shape.width},
                    {shape.keys * shape.strides[kKey], shape.width, shape.strides[kKey], 1});
  graph.multiply_into(parts.rows(kQueryGradient), d_scores, key_rows);
}

}  // namespace

AttentionTensors tensors_of(const Attention& attention) {
  return {attention.query, attention.key, attention.value, attention.output, attention.log_sum_exp};
}

AttentionTensors tensors_of(const AttentionBackward& attention) {
  AttentionTensors tensors = tensors_of(attention.forward);
  tensors[kOutputGradient] = attention.d_output;
  tensors[kQueryGradient] = attention.d_query;
  tensors[kKeyGradient] = attention.d_key;
  tensors[kValueGradient] = attention.d_value;
  return tensors;
}

CudnnGraph attention_graph(const AttentionShape& shape) {
  CudnnGraph graph;
  if (shape.is_gradient)
    add_gradients(graph, shape);
  else
    add_attention(graph, shape);
  return graph;
}

}  // namespace nmt::cuda
