// Attention, one sequence and head at a time. Training computes the scores of all its queries and keys at
// once, by the matrix products of multiply.cpp, and causality shortens rows of scores; otherwise a few
// queries are processed at a time.
#include <type_traits>

#include "backend/cpu/kernels/attend.h"
#include "backend/cpu/kernels/dropout.h"
#include "backend/cpu/kernels/multiply.h"
#include "backend/cpu/kernels/softmax.h"
#include "backend/cpu/kernels/vector_kernels.h"

namespace nmt::cpu::NMT_ISA {
namespace {

// Queries that are processed together when each is computed on its own: they share the reading of keys.
constexpr int kQueries = 4;

/// Some rows and columns of a tensor. Matrix products are of floats: elements of other types are widened into
/// `memory` (of kWidened times as many floats as there are elements), and results are narrowed from it.
struct Slice {
  Floats read(float* memory) const {
    if constexpr (kInPlace) return {as_floats(), rows, columns, stride, 1};
    for (std::int64_t r = 0; r < rows; ++r)
      convert_elements(data + r * stride, memory + r * columns, columns);
    return {memory, rows, columns, columns, 1};
  }

  /// Calls make(target), which computes the elements, and stores them.
  template <class Make>
  void write(float* memory, const Make& make) const {
    if constexpr (kInPlace) return make(MatrixTarget{as_floats(), stride, false});
    make(MatrixTarget{memory, columns, false});
    for (std::int64_t r = 0; r < rows; ++r)
      convert_elements(memory + r * columns, data + r * stride, columns);
  }

  static constexpr bool kInPlace = std::is_same_v<Real, float>;
  static constexpr std::int64_t kWidened = kInPlace ? 0 : 1;

  Real* data;
  std::int64_t rows, columns, stride;

 private:
  float* as_floats() const { return reinterpret_cast<float*>(data); }
};

/// Returns what scale_of<float>() does; the functions of a header are not compiled for one instruction set.
float float_scale_of(double scale, std::int64_t width) {
  return scale > 0 ? static_cast<float>(scale) : 1.0F / __builtin_sqrtf(static_cast<float>(width));
}

/// Returns the bucket of a distance.
std::int32_t bucket_of(const RelativeBias& bias, std::int64_t distance) {
  const std::int64_t farthest = bias.farthest(), positive = distance < farthest ? distance : farthest;
  return bias.buckets.data<std::int32_t>()[(positive > -farthest ? positive : -farthest) + farthest];
}

/// Writes `factor` times the bias of a head at the distances first, first + 1, ...
void write_bias(const RelativeBias& bias, std::int64_t head, std::int64_t first, std::int64_t count,
                float factor, float* to) {
  // scalar, as is every lookup in the table
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = factor * bias.table.row<float>(bucket_of(bias, first + i))[head];
}

/// Calls visit(d, first, end) for the number d of each distance, with the range of those of the first n keys
/// that have this distance from the query at `position`; see RelativeVectors.
template <class Visit>
void for_each_distance(std::int64_t distances, std::int64_t position, std::int64_t n, const Visit& visit) {
  const auto within = [n](std::int64_t key) { return key < 0 ? 0 : least(key, n); };
  for (std::int64_t d = 0; d < distances; ++d) {
    const std::int64_t key = position + d - distances / 2;
    visit(d, d == 0 ? 0 : within(key), d == distances - 1 ? n : within(key + 1));
  }
}

/// Adds to each of n keys the number that `of_distances` has for its distance.
void add_by_distance(const float* of_distances, std::int64_t distances, std::int64_t position, std::int64_t n,
                     float* of_keys) {
  for_each_distance(distances, position, n, [&](std::int64_t d, std::int64_t first, std::int64_t end) {
    for (std::int64_t j = first; j < end; ++j) of_keys[j] += of_distances[d];
  });
}

/// Computes the sum of the numbers of all keys, out of n, at each distance.
void sum_by_distance(const float* of_keys, std::int64_t distances, std::int64_t position, std::int64_t n,
                     float* of_distances) {
  for_each_distance(distances, position, n, [&](std::int64_t d, std::int64_t first, std::int64_t end) {
    float sum = 0;
    for (std::int64_t j = first; j < end; ++j) sum += of_keys[j];
    of_distances[d] = sum;
  });
}

/// Returns a table of relative vectors.
Slice slice_of(const Tensor& table) {
  return {table.row<Real>(0), table.rows(), table.columns(), table.row_stride()};
}

/// Returns the floats for attend_relative() with a query of `width` features and up to n keys.
std::int64_t relative_scratch(const RelativeVectors& relative, std::int64_t width, std::int64_t n) {
  return AttendedQueries::scratch(1, width, n + relative.distances()) + whole_vectors(relative.distances());
}

/// Computes attention with relative vectors of the query `from` at `position` over n keys. Products with the
/// vectors for keys are added to the scores by distance; the vectors for values count as further values,
/// whose weights are the sums of the weights at each distance.
template <class KeyAt, class ValueAt>
AttendedQueries attend_relative(const RelativeVectors& relative, const Real* from, std::int64_t width,
                                float scale, std::int64_t position, std::int64_t n, const KeyAt& key_at,
                                const ValueAt& value_at, Real* output, float* scratch) {
  const std::int64_t distances = relative.distances();
  const Slice keys = slice_of(relative.keys), values = slice_of(relative.values);
  float* const scores = scratch + whole_vectors(width);
  const AttendedQueries query{scratch, width, scores, n + distances};
  const AttendedQueries products{scratch, width, scores + whole_vectors(n + distances), distances};
  take_query(query, 0, from, scale);
  const auto vector_at = [&](const Slice& table, std::int64_t d) { return table.data + d * table.stride; };
  score_all<1>(
      products, distances, [&](std::int64_t d) { return vector_at(keys, d); },
      [&](std::int64_t d) { return vector_at(values, d); });
  score_all<1>(query, n, key_at, value_at);
  add_by_distance(products.scores, distances, position, n, scores);
  if (n > 0) softmax_of_scores(scores, n);
  sum_by_distance(scores, distances, position, n, scores + n);
  weigh_all<1>(
      query, n + distances,
      [&](std::int64_t j) -> const Real* { return j < n ? value_at(j) : vector_at(values, j - n); }, output,
      0);
  return query;
}

/// One sequence and head of an attention.
struct Part {
  Part(const Attention& a, std::int64_t sequence, std::int64_t number)
      : attention(a),
        head(number),
        width(a.query.columns() / a.heads),
        first_query(a.queries.begin.data<std::int32_t>()[sequence]),
        first_key(a.keys.begin.data<std::int32_t>()[sequence]),
        queries(a.queries.length.data<std::int32_t>()[sequence]),
        keys(a.keys.length.data<std::int32_t>()[sequence]),
        scale(float_scale_of(a.scale, width)) {}

  /// Writes `factor` times the bias of all distances to `memory`. Returns the bias of query 0, beginning with
  /// that of key 0; what belongs to query i begins i elements earlier.
  float* read_bias(float factor, float* memory) const {
    write_bias(attention.bias, head, 1 - queries, queries + keys - 1, factor, memory);
    return memory + queries - 1;
  }

  /// Returns the part's slice of a tensor of query rows (or key rows).
  Slice of_queries(const Tensor& x) const {
    return {x.row<Real>(first_query) + head * width, queries, width, x.row_stride()};
  }
  /// Heads may share those of keys.
  Slice of_keys(const Tensor& x) const {
    const std::int64_t sharing = attention.query.columns() / x.columns();
    return {x.row<Real>(first_key) + head / sharing * width, keys, width, x.row_stride()};
  }
  Floats of_scores(const float* x) const { return {x, queries, keys, keys, 1}; }
  /// Returns the part's slice of a tensor with a number for each query, head and distance.
  Slice of_distances(const Tensor& x) const {
    const std::int64_t distances = attention.relative.distances();
    return {x.row<Real>(first_query) + head * distances, queries, distances, x.row_stride()};
  }
  MatrixTarget to_scores(float* x) const { return {x, keys, false}; }

  std::int64_t visible(std::int64_t query) const {
    return attention.causal && query + 1 < keys ? query + 1 : keys;
  }
  DropoutRow dropout(std::int64_t query) const {
    return dropout_row(attention.dropout, first_query + query, head + 1,
                       head * mask_bytes(attention.keys.longest));
  }

  const Attention& attention;
  std::int64_t head, width, first_query, first_key, queries, keys;
  float scale;
};

/// Computes p := softmax(scale p) over the first n elements, and zeros after them. Returns the log of the
/// normalizer.
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

/// Stores the weights of a query if they are wanted, with zeros past the sequence of keys.
void show(const Part& part, std::int64_t query, const float* __restrict weights) {
  const std::int64_t longest = part.attention.keys.longest;
  float* __restrict shown = part.attention.weights.row<float>(part.first_query + query) + part.head * longest;
  for (std::int64_t j = 0; j < part.keys; ++j) shown[j] = weights[j];
  for (std::int64_t j = part.keys; j < longest; ++j) shown[j] = 0.0F;
}

/// Computes p := softmax(scale p) over the first n elements, given the log of the normalizer, and zeros after
/// them.
void softmax_again(float* __restrict p, std::int64_t n, std::int64_t columns, float scale,
                   float log_sum_exp) {
  for (std::int64_t j = 0; j < n; ++j) p[j] = exponential(scale * p[j] - log_sum_exp);
  for (std::int64_t j = n; j < columns; ++j) p[j] = 0.0F;
}

/// Computes the gradient of a row of scores from that of its weights: p (d_p - sum p d_p), times the scale of
/// the scores.
void differentiate_softmax(const float* __restrict p, float* __restrict d_p, std::int64_t n, float scale) {
  float mean = 0;
  for (std::int64_t j = 0; j < n; ++j) mean += p[j] * d_p[j];
  for (std::int64_t j = 0; j < n; ++j) d_p[j] = scale * p[j] * (d_p[j] - mean);
}

/// Computes to += scale from.
void add_scaled(float* __restrict to, const float* __restrict from, std::int64_t n, float scale) {
  for (std::int64_t j = 0; j < n; ++j) to[j] += scale * from[j];
}

/// Computes to := factor from.
void scale_into(float* __restrict to, const float* __restrict from, std::int64_t n, float factor) {
  for (std::int64_t j = 0; j < n; ++j) to[j] = factor * from[j];
}

/// Whether each query is computed on its own: outside training, where queries are few or a sentence is long.
/// Whether weights are wanted must not matter.
bool is_by_query(const Attention& attention) {
  return !attention.log_sum_exp && !attention.dropout.active() && !attention.causal;
}

/// Computes queries [first, first + queries) of a part. `bias`: that of query 0; null: none.
template <int queries>
void attend(const Part& part, std::int64_t first, const float* bias, float* scratch) {
  const Slice query = part.of_queries(part.attention.query), output = part.of_queries(part.attention.output);
  const Slice key = part.of_keys(part.attention.key), value = part.of_keys(part.attention.value);
  float* scores = scratch + queries * whole_vectors(part.width);
  const AttendedQueries attended{scratch, part.width, scores, part.keys,
                                 bias == nullptr ? nullptr : bias - first};
  for (int i = 0; i < queries; ++i)
    take_query(attended, i, query.data + (first + i) * query.stride, part.scale);
  attend<queries>(
      attended, part.keys, [&](std::int64_t j) { return key.data + j * key.stride; },
      [&](std::int64_t j) { return value.data + j * value.stride; }, output.data + first * output.stride,
      output.stride);
  for (int i = 0; i < queries && part.attention.weights; ++i) show(part, first + i, attended.scores_of(i));
}

/// Computes each query of a part of an attention with relative vectors.
void attend_relative(const Part& part, float* scratch) {
  const Slice query = part.of_queries(part.attention.query), output = part.of_queries(part.attention.output);
  const Slice key = part.of_keys(part.attention.key), value = part.of_keys(part.attention.value);
  for (std::int64_t i = 0; i < part.queries; ++i) {
    const AttendedQueries attended = attend_relative(
        part.attention.relative, query.data + i * query.stride, part.width, part.scale, i, part.keys,
        [&](std::int64_t j) { return key.data + j * key.stride; },
        [&](std::int64_t j) { return value.data + j * value.stride; }, output.data + i * output.stride,
        scratch);
    if (part.attention.weights) show(part, i, attended.scores_of(0));
  }
}

/// The memory of a part with relative vectors: a number for each query and distance, and a table.
class RelativeMemory {
 public:
  RelativeMemory(const Part& part, float* memory)
      : part_(part),
        distances_(part.attention.relative.distances()),
        numbers_(memory),
        table_(memory + part.queries * distances_) {}

  static std::int64_t size(const Attention& attention, std::int64_t queries) {
    const std::int64_t width = attention.query.columns() / attention.heads;
    return attention.relative.distances() * (queries + Slice::kWidened * width);
  }

  /// Sets the numbers to the products of rows of queries with the vectors of a table.
  void multiply_by(const Tensor& table, const Floats& x, float* work) const {
    multiply(x, slice_of(table).read(table_).transposed(), {numbers_, distances_, false}, work);
  }
  /// Computes to += numbers table.
  void add_product(const Tensor& table, const MatrixTarget& to, float* work) const {
    multiply(all(), slice_of(table).read(table_), {to.data, to.row_stride, true}, work);
  }
  /// Adds the numbers to what all visible keys of each query have, [queries, keys].
  void add_to(float* of_keys) const {
    for (std::int64_t i = 0; i < part_.queries; ++i)
      add_by_distance(numbers_ + i * distances_, distances_, i, part_.visible(i), of_keys + i * part_.keys);
  }
  /// Sets the numbers to the sums of what the visible keys have.
  void sum(const float* of_keys) const {
    for (std::int64_t i = 0; i < part_.queries; ++i)
      sum_by_distance(of_keys + i * part_.keys, distances_, i, part_.visible(i), numbers_ + i * distances_);
  }
  /// Stores the numbers.
  void store(const Tensor& to) const {
    const Slice slice = part_.of_distances(to);
    for (std::int64_t i = 0; i < part_.queries; ++i)
      convert_elements(numbers_ + i * distances_, slice.data + i * slice.stride, distances_);
  }

 private:
  Floats all() const { return {numbers_, part_.queries, distances_, distances_, 1}; }

  const Part& part_;
  std::int64_t distances_;
  float *numbers_, *table_;
};

/// Returns the floats for the bias of all distances.
std::int64_t bias_scratch(const Attention& attention) {
  return attention.bias ? attention.queries.longest + attention.keys.longest : 0;
}

/// Adds the bias to the products of queries and keys, which are yet to be multiplied with the scale.
void add_bias(const Part& part, float* scores, float* memory) {
  if (!part.attention.bias || part.queries == 0) return;
  const float* bias = part.read_bias(1 / part.scale, memory);
  for (std::int64_t i = 0; i < part.queries; ++i) add(scores + i * part.keys, bias - i, part.visible(i));
}

/// Computes the gradients of the bias for a part. d_scores: those of scores, multiplied with the scale.
void sum_bias_gradients(const AttentionBackward& attention, const Part& part, std::int64_t sequence,
                        const float* d_scores, float* memory) {
  if (!attention.d_bias) return;
  const std::int64_t distances = part.queries + part.keys - 1, buckets = attention.d_bias.rows();
  for (std::int64_t i = 0; i < distances; ++i) memory[i] = 0;
  for (std::int64_t i = 0; i < part.queries; ++i)
    add(memory + part.queries - 1 - i, d_scores + i * part.keys, part.visible(i));
  const std::int64_t heads = attention.d_bias.columns();
  float* sums = attention.bias_sums.row<float>(sequence) + part.head;
  for (std::int64_t b = 0; b < buckets; ++b) sums[b * heads] = 0;
  // scalar: distances share buckets
  for (std::int64_t i = 0; i < distances; ++i)
    sums[bucket_of(part.attention.bias, i + 1 - part.queries) * heads] += memory[i] / part.scale;
}

/// Computes the sum of `count` adjacent heads of n elements.
void add_heads(const Real* from, std::int64_t count, std::int64_t n, Real* to) {
  std::int64_t f = 0;
  for (; f + kLanes <= n; f += kLanes) {
    Vector sum = {};
    for (std::int64_t head = 0; head < count; ++head) sum += load(from + head * n + f);
    store(to + f, sum);
  }
  if (f == n) return;
  Vector sum = {};
  for (std::int64_t head = 0; head < count; ++head) sum += load_first(from + head * n + f, n - f);
  // scalar: fewer than a vector
  for (std::int64_t lane = 0; f + lane < n; ++lane) to[f + lane] = sum[lane];
}

/// Returns the floats for slices with these rows of queries and keys.
std::int64_t slices_scratch(const Attention& attention, std::int64_t queries, std::int64_t keys) {
  return Slice::kWidened * (queries + keys) * (attention.query.columns() / attention.heads);
}

}  // namespace

std::int64_t VectorKernels::attention_scratch(const Attention& attention) const {
  const std::int64_t queries = attention.queries.longest, keys = attention.keys.longest;
  if (is_by_query(attention)) {
    const std::int64_t width = attention.query.columns() / attention.heads;
    if (attention.relative) return relative_scratch(attention.relative, width, keys);
    return AttendedQueries::scratch(kQueries, width, keys) + bias_scratch(attention);
  }
  return queries * keys + multiply_scratch(queries) + slices_scratch(attention, queries, keys) +
         bias_scratch(attention) + RelativeMemory::size(attention, queries);
}

void VectorKernels::attention(const Attention& attention, std::int64_t sequence, std::int64_t head,
                              float* scratch) const {
  const Part part(attention, sequence, head);
  if (is_by_query(attention)) {
    if (attention.relative) return attend_relative(part, scratch);
    float* own = scratch + bias_scratch(attention);
    const float* bias = attention.bias && part.queries > 0 ? part.read_bias(1, scratch) : nullptr;
    std::int64_t i = 0;
    for (; i + kQueries <= part.queries; i += kQueries) attend<kQueries>(part, i, bias, own);
    for (; i < part.queries; ++i) attend<1>(part, i, bias, own);
    return;
  }
  const RelativeMemory relative(part, scratch + bias_scratch(attention));
  float* weights = scratch + bias_scratch(attention) + RelativeMemory::size(attention, part.queries);
  float* of_keys = weights + part.queries * part.keys;
  float* of_queries = of_keys + Slice::kWidened * part.keys * part.width;
  float* work = of_queries + Slice::kWidened * part.queries * part.width;
  const Floats query = part.of_queries(attention.query).read(of_queries);
  multiply(query, part.of_keys(attention.key).read(of_keys).transposed(), part.to_scores(weights), work);
  add_bias(part, weights, scratch);
  if (attention.relative) {
    relative.multiply_by(attention.relative.keys, query, work);
    relative.add_to(weights);
  }
  for (std::int64_t i = 0; i < part.queries; ++i) {
    const float normalizer = softmax(weights + i * part.keys, part.visible(i), part.keys, part.scale);
    if (attention.log_sum_exp) attention.log_sum_exp.row<float>(part.first_query + i)[head] = normalizer;
  }
  if (attention.weights) {
    for (std::int64_t i = 0; i < part.queries; ++i) show(part, i, weights + i * part.keys);
  }
  if (attention.dropout.active()) {
    const std::int64_t bytes = mask_bytes(attention.keys.longest);
    for (std::int64_t i = 0; i < part.queries; ++i) {
      const DropoutRow dropout = part.dropout(i);
      __builtin_memset(dropout.bits, 0, static_cast<std::size_t>(bytes));
      draw(dropout, 0, part.visible(i));
      apply(dropout, 0, part.visible(i), weights + i * part.keys, weights + i * part.keys);
    }
  }
  const Floats value = part.of_keys(attention.value).read(of_keys);
  if (attention.relative) relative.sum(weights);
  part.of_queries(attention.output).write(of_queries, [&](const MatrixTarget& output) {
    multiply(part.of_scores(weights), value, output, work);
    if (attention.relative) relative.add_product(attention.relative.values, output, work);
  });
}

std::int64_t VectorKernels::attention_backward_scratch(const Attention& attention) const {
  const std::int64_t queries = attention.queries.longest, keys = attention.keys.longest;
  return 3 * queries * keys + multiply_scratch(most(queries, keys)) +
         slices_scratch(attention, 2 * queries, 2 * keys) + bias_scratch(attention) +
         RelativeMemory::size(attention, queries);
}

/// Computes the gradients. With p = softmax(s), s = scale q k + b and w = dropout(p): d_p = dropout'(d_o v),
/// d_s = d_b = p (d_p - sum p d_p). Relative vectors are parts of k and v.
void VectorKernels::attention_backward(const AttentionBackward& attention, std::int64_t sequence,
                                       std::int64_t head, float* scratch) const {
  const Attention& forward = attention.forward;
  const Part part(forward, sequence, head);
  const std::int64_t size = part.queries * part.keys;
  const std::int64_t query_size = Slice::kWidened * part.queries * part.width;
  const std::int64_t key_size = Slice::kWidened * part.keys * part.width;
  const RelativeMemory relative(part, scratch + bias_scratch(forward));
  float* weights = scratch + bias_scratch(forward) + RelativeMemory::size(forward, part.queries);
  float* dropped = weights + size;
  float* gradient = dropped + size;
  float* of_queries = gradient + size;
  float* of_outputs = of_queries + query_size;
  float* of_keys = of_outputs + query_size;
  float* of_values = of_keys + key_size;
  float* work = of_values + key_size;
  const Floats query = part.of_queries(forward.query).read(of_queries);
  const Floats key = part.of_keys(forward.key).read(of_keys);
  const Floats d_output = part.of_queries(attention.d_output).read(of_outputs);
  multiply(query, key.transposed(), part.to_scores(weights), work);
  add_bias(part, weights, scratch);
  if (forward.relative) {
    relative.multiply_by(forward.relative.keys, query, work);
    relative.add_to(weights);
  }
  for (std::int64_t i = 0; i < part.queries; ++i)
    softmax_again(weights + i * part.keys, part.visible(i), part.keys, part.scale,
                  forward.log_sum_exp.row<float>(part.first_query + i)[head]);
  multiply(d_output, part.of_keys(forward.value).read(of_values).transposed(), part.to_scores(gradient),
           work);
  if (forward.relative) {
    relative.multiply_by(forward.relative.values, d_output, work);
    relative.add_to(gradient);
  }
  if (forward.dropout.active()) {
    for (std::int64_t i = 0; i < part.queries; ++i) {
      float* row = gradient + i * part.keys;
      apply(part.dropout(i), 0, part.keys, weights + i * part.keys, dropped + i * part.keys);
      apply(part.dropout(i), 0, part.keys, row, row);
    }
  } else {
    dropped = weights;
  }
  if (forward.relative) {
    relative.sum(dropped);
    relative.store(attention.weight_sums);
  }
  // From here on, memory whose contents are no longer needed is reused for results.
  part.of_keys(attention.d_value).write(of_values, [&](const MatrixTarget& d_value) {
    multiply(part.of_scores(dropped).transposed(), d_output, d_value, work);
  });
  for (std::int64_t i = 0; i < part.queries; ++i)
    differentiate_softmax(weights + i * part.keys, gradient + i * part.keys, part.keys, part.scale);
  for (std::int64_t i = 0; i < part.queries && head == 0 && attention.d_scores; ++i)
    add_scaled(gradient + i * part.keys, attention.d_scores.row<float>(part.first_query + i), part.visible(i),
               part.scale);
  sum_bias_gradients(attention, part, sequence, gradient, scratch);
  if (forward.relative) {
    relative.sum(gradient);
    relative.store(attention.d_products);
  }
  part.of_queries(attention.d_query).write(of_outputs, [&](const MatrixTarget& d_query) {
    multiply(part.of_scores(gradient), key, d_query, work);
    if (forward.relative) relative.add_product(forward.relative.keys, d_query, work);
  });
  part.of_keys(attention.d_key).write(of_values, [&](const MatrixTarget& d_key) {
    multiply(part.of_scores(gradient).transposed(), query, d_key, work);
  });
}

void VectorKernels::sum_shared_heads(const SumSharedHeads& sum, Range rows) const {
  const std::int64_t width = sum.width, sharing = sum.from.columns() / sum.to.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const Real* from = sum.from.row<Real>(r);
    Real* to = sum.to.row<Real>(r);
    for (std::int64_t first = 0; first < sum.to.columns(); first += width)
      add_heads(from + first * sharing, sharing, width, to + first);
  }
}

void VectorKernels::guided_alignment(const GuidedAlignment& guided, Range rows) const {
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const float* weights = guided.weights.row<float>(r);
    const std::int32_t links = guided.links.length.data<std::int32_t>()[r];
    const std::int32_t* keys = guided.keys.data<std::int32_t>() + guided.links.begin.data<std::int32_t>()[r];
    double loss = 0;
    for (std::int32_t i = 0; i < links; ++i) {
      const double weight = weights[keys[i]];
      loss -= __builtin_log(weight > kLeastAlignedWeight ? weight : kLeastAlignedWeight);
    }
    guided.loss.data<float>()[r] = links == 0 ? 0 : static_cast<float>(guided.factor / links * loss);
    if (!guided.d_scores) continue;
    const float factor = links == 0 ? 0 : guided.scale.data<float>()[0] * static_cast<float>(guided.factor);
    float* d_scores = guided.d_scores.row<float>(r);
    scale_into(d_scores, weights, guided.d_scores.columns(), factor);
    for (std::int32_t i = 0; i < links; ++i) d_scores[keys[i]] -= factor / static_cast<float>(links);
  }
}

std::int64_t VectorKernels::cached_attention_scratch(const CachedAttention& attention) const {
  const std::int64_t longest = attention.index.columns();
  const std::int64_t width = attention.query.columns() / attention.heads;
  if (attention.relative) return relative_scratch(attention.relative, width, longest);
  return AttendedQueries::scratch(1, width, longest) + (attention.bias ? longest : 0);
}

void VectorKernels::cached_attention(const CachedAttention& attention, Range rows, float* scratch) const {
  const std::int64_t d = attention.query.columns(), width = d / attention.heads;
  const std::int64_t columns = attention.key.columns(), sharing = d / columns;
  const float scale = float_scale_of(attention.scale, width);
  float* const bias = attention.bias ? scratch : nullptr;
  if (bias != nullptr) scratch += attention.index.columns();
  for (std::int64_t r = rows.begin; r < rows.end; ++r) {
    const std::int32_t* index = attention.index.row<std::int32_t>(r);
    const std::int64_t length = attention.position.data<std::int32_t>()[r] + 1;
    const std::size_t bytes = static_cast<std::size_t>(columns) * sizeof(Real);
    __builtin_memcpy(attention.key.row<Real>(index[length - 1]), attention.own_key.row<Real>(r), bytes);
    __builtin_memcpy(attention.value.row<Real>(index[length - 1]), attention.own_value.row<Real>(r), bytes);
    for (std::int64_t head = 0; head < attention.heads; ++head) {
      const std::int64_t first = head * width, shared = head / sharing * width;
      const auto key_at = [&](std::int64_t j) { return attention.key.row<Real>(index[j]) + shared; };
      const auto value_at = [&](std::int64_t j) { return attention.value.row<Real>(index[j]) + shared; };
      if (attention.relative) {
        attend_relative(attention.relative, attention.query.row<Real>(r) + first, width, scale, length - 1,
                        length, key_at, value_at, attention.output.row<Real>(r) + first, scratch);
        continue;
      }
      if (bias != nullptr) write_bias(attention.bias, head, 1 - length, length, 1, bias);
      const AttendedQueries query{scratch, width, scratch + whole_vectors(width), length, bias};
      take_query(query, 0, attention.query.row<Real>(r) + first, scale);
      attend<1>(query, length, key_at, value_at, attention.output.row<Real>(r) + first, 0);
    }
  }
}

}  // namespace nmt::cpu::NMT_ISA
