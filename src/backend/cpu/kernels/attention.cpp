// Attention, one segment and head at a time: scores of all its queries and keys at once, by the matrix
// products of multiply.cpp. Causality is a shorter row of scores.
#include "backend/cpu/kernels/dropout.h"
#include "backend/cpu/kernels/multiply.h"
#include "backend/cpu/kernels/softmax.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

// One segment and head of an attention.
struct Part {
  Part(const Attention& a, std::int64_t segment, std::int64_t number)
      : attention(a),
        head(number),
        width(a.query.columns() / a.heads),
        first_query(a.queries.begin.data<std::int32_t>()[segment]),
        first_key(a.keys.begin.data<std::int32_t>()[segment]),
        queries(a.queries.length.data<std::int32_t>()[segment]),
        keys(a.keys.length.data<std::int32_t>()[segment]),
        scale(1.0F / __builtin_sqrtf(static_cast<float>(width))) {}

  /// The part's slice of a tensor of query rows (or key rows).
  float* query_slice(const Tensor& x) const { return x.row<float>(first_query) + head * width; }
  float* key_slice(const Tensor& x) const { return x.row<float>(first_key) + head * width; }
  MatrixView of_queries(const Tensor& x) const { return {query_slice(x), queries, width, x.row_stride(), 1}; }
  MatrixView of_keys(const Tensor& x) const { return {key_slice(x), keys, width, x.row_stride(), 1}; }
  MatrixTarget to_queries(const Tensor& x) const { return {query_slice(x), x.row_stride(), false}; }
  MatrixTarget to_keys(const Tensor& x) const { return {key_slice(x), x.row_stride(), false}; }
  MatrixView of_scores(const float* x) const { return {x, queries, keys, keys, 1}; }
  MatrixTarget to_scores(float* x) const { return {x, keys, false}; }

  std::int64_t visible(std::int64_t query) const {
    return attention.causal && query + 1 < keys ? query + 1 : keys;
  }
  DropoutRow dropout(std::int64_t query) const {
    return dropout_row(attention.dropout, first_query + query, head + 1,
                       head * mask_bytes(attention.keys.max_length));
  }

  const Attention& attention;
  std::int64_t head, width, first_query, first_key, queries, keys;
  float scale;
};

// p := softmax(scale p) over the first n; zeros after them. Returns the log of the normalizer.
float softmax(float* __restrict p, std::int64_t n, std::int64_t columns, float scale) {
  for (std::int64_t j = n; j < columns; ++j) p[j] = 0.0F;
  if (n == 0) return 0;
  for (std::int64_t j = 0; j < n; ++j) p[j] *= scale;
  const float top = largest(p, n);
  const double total = exponentiate(p, n, top);
  const auto factor = static_cast<float>(1 / total);
  for (std::int64_t j = 0; j < n; ++j) p[j] *= factor;
  return top + static_cast<float>(__builtin_log(total));
}

// Puts the weights of a query where somebody wants to see them; zeros past the segment of keys.
void show(const Part& part, std::int64_t query, const float* __restrict weights) {
  const std::int64_t longest = part.attention.keys.max_length;
  float* __restrict shown = part.attention.weights.row<float>(part.first_query + query) + part.head * longest;
  for (std::int64_t j = 0; j < part.keys; ++j) shown[j] = weights[j];
  for (std::int64_t j = part.keys; j < longest; ++j) shown[j] = 0.0F;
}

// Scores before they are scaled, [queries, keys].
void score(const Part& part, float* scores, float* scratch) {
  multiply(part.of_queries(part.attention.query), part.of_keys(part.attention.key).transposed(),
           part.to_scores(scores), scratch);
}

// p := softmax(scale p) over the first n, of which the log of the normalizer is known; zeros after them.
void softmax_again(float* __restrict p, std::int64_t n, std::int64_t columns, float scale,
                   float log_sum_exp) {
  for (std::int64_t j = 0; j < n; ++j) p[j] = exponential(scale * p[j] - log_sum_exp);
  for (std::int64_t j = n; j < columns; ++j) p[j] = 0.0F;
}

// The gradient of a row of scores from that of its weights: p (d_p - sum p d_p), times the scale of the
// scores.
void differentiate_softmax(const float* __restrict p, float* __restrict d_p, std::int64_t n, float scale) {
  float mean = 0;
  for (std::int64_t j = 0; j < n; ++j) mean += p[j] * d_p[j];
  for (std::int64_t j = 0; j < n; ++j) d_p[j] = scale * p[j] * (d_p[j] - mean);
}

}  // namespace

std::int64_t VectorKernels::attention_scratch(const Attention& attention) const {
  return multiply_scratch(attention.queries.max_length) +
         attention.queries.max_length * attention.keys.max_length;
}

void VectorKernels::attention(const Attention& attention, std::int64_t segment, std::int64_t head,
                              float* scratch) const {
  const Part part(attention, segment, head);
  float* weights = scratch;
  float* work = weights + part.queries * part.keys;
  score(part, weights, work);
  for (std::int64_t i = 0; i < part.queries; ++i) {
    const float normalizer = softmax(weights + i * part.keys, part.visible(i), part.keys, part.scale);
    if (attention.log_sum_exp) attention.log_sum_exp.row<float>(part.first_query + i)[head] = normalizer;
  }
  if (attention.weights) {
    for (std::int64_t i = 0; i < part.queries; ++i) show(part, i, weights + i * part.keys);
  }
  if (attention.dropout.active()) {
    const std::int64_t bytes = mask_bytes(attention.keys.max_length);
    for (std::int64_t i = 0; i < part.queries; ++i) {
      const DropoutRow dropout = part.dropout(i);
      __builtin_memset(dropout.bits, 0, static_cast<std::size_t>(bytes));
      draw(dropout, 0, part.visible(i));
      apply(dropout, 0, part.visible(i), weights + i * part.keys, weights + i * part.keys);
    }
  }
  multiply(part.of_scores(weights), part.of_keys(attention.value), part.to_queries(attention.output), work);
}

std::int64_t VectorKernels::attention_backward_scratch(const Attention& attention) const {
  const std::int64_t scores = attention.queries.max_length * attention.keys.max_length;
  return 3 * scores + multiply_scratch(most(attention.queries.max_length, attention.keys.max_length));
}

// With p = softmax(s), s = scale q k and w = dropout(p): d_p = dropout'(d_o v), d_s = p (d_p - sum p d_p).
void VectorKernels::attention_backward(const AttentionBackward& attention, std::int64_t segment,
                                       std::int64_t head, float* scratch) const {
  const Attention& forward = attention.forward;
  const Part part(forward, segment, head);
  const std::int64_t size = part.queries * part.keys;
  float* weights = scratch;
  float* dropped = weights + size;
  float* gradient = dropped + size;
  float* work = gradient + size;
  score(part, weights, work);
  for (std::int64_t i = 0; i < part.queries; ++i)
    softmax_again(weights + i * part.keys, part.visible(i), part.keys, part.scale,
                  forward.log_sum_exp.row<float>(part.first_query + i)[head]);
  multiply(part.of_queries(attention.d_output), part.of_keys(forward.value).transposed(),
           part.to_scores(gradient), work);
  if (forward.dropout.active()) {
    for (std::int64_t i = 0; i < part.queries; ++i) {
      float* row = gradient + i * part.keys;
      apply(part.dropout(i), 0, part.keys, weights + i * part.keys, dropped + i * part.keys);
      apply(part.dropout(i), 0, part.keys, row, row);
    }
  } else {
    dropped = weights;
  }
  multiply(part.of_scores(dropped).transposed(), part.of_queries(attention.d_output),
           part.to_keys(attention.d_value), work);
  for (std::int64_t i = 0; i < part.queries; ++i)
    differentiate_softmax(weights + i * part.keys, gradient + i * part.keys, part.keys, part.scale);
  multiply(part.of_scores(gradient), part.of_keys(forward.key), part.to_queries(attention.d_query), work);
  multiply(part.of_scores(gradient).transposed(), part.of_queries(forward.query),
           part.to_keys(attention.d_key), work);
}

std::int64_t VectorKernels::cached_attention_scratch(const CachedAttention& attention) const {
  return attention.heads * attention.index.columns();
}

// The rows of the cache are visited in their order, all heads of a row at once.
void VectorKernels::cached_attention(const CachedAttention& attention, Range rows, float* scratch) const {
  const std::int64_t d = attention.query.columns();
  const std::int64_t width = d / attention.heads;
  const std::int64_t longest = attention.index.columns();
  const float scale = 1.0F / __builtin_sqrtf(static_cast<float>(width));
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const std::int32_t* index = attention.index.row<std::int32_t>(r);
    const std::int64_t length = attention.length.data<std::int32_t>()[r];
    for (std::int64_t j = 0; j < length; ++j)
      for (std::int64_t head = 0; head < attention.heads; ++head) {
        const float* __restrict query = attention.query.row<float>(r) + head * width;
        const float* __restrict key = attention.key.row<float>(index[j]) + head * width;
        float sum = 0;
        for (std::int64_t f = 0; f < width; ++f) sum += query[f] * key[f];
        scratch[head * longest + j] = sum;
      }
    for (std::int64_t head = 0; head < attention.heads; ++head)
      softmax(scratch + head * longest, length, length, scale);
    float* __restrict output = attention.output.row<float>(r);
    for (std::int64_t f = 0; f < d; ++f) output[f] = 0.0F;
    for (std::int64_t j = 0; j < length; ++j)
      for (std::int64_t head = 0; head < attention.heads; ++head) {
        const float weight = scratch[head * longest + j];
        const float* __restrict value = attention.value.row<float>(index[j]) + head * width;
        for (std::int64_t f = 0; f < width; ++f) output[head * width + f] += weight * value[f];
      }
  }
}

}  // namespace nmt::cpu::NMT_ISA
