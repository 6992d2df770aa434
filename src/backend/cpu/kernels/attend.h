// Softmax attention of a few queries over keys at arbitrary addresses, in one head: the main work of
// decoding. The bits of a query depend only on itself and the keys that it sees.
//
// Products with kLanes keys are computed at a time, each summed over the features in a vector; then the lanes
// of these vectors are added in one tree, which leaves one score per lane. Nothing is packed, so that this
// pays for a single query.
#pragma once

#include "backend/cpu/kernels/vector.h"

namespace nmt::cpu::NMT_ISA {

/// Rounds n floats up to whole vectors.
static constexpr std::int64_t whole_vectors(std::int64_t n) {
  return (n + kLanes - 1) / kLanes * kLanes;
}

/// A round of sums_of_lanes(): combines two rows `distance` apart into one.
template <std::size_t distance, std::size_t... lane>
static inline void fold(Vector* rows, std::index_sequence<lane...>) {
  constexpr std::size_t kN = sizeof...(lane);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < distance; ++r) {
    const Vector a = rows[r];
    const Vector b = rows[r + distance];
    rows[r] = __builtin_shufflevector(a, b, ((lane & distance) != 0 ? kN + lane - distance : lane)...) +
              __builtin_shufflevector(a, b, ((lane & distance) != 0 ? kN + lane : lane + distance)...);
  }
}

/// Returns a vector whose lane i is the sum of the lanes of rows[i]. There are kLanes rows, which are
/// overwritten.
template <std::size_t distance = kLanes / 2>
static inline Vector sums_of_lanes(Vector* rows) {
  fold<distance>(rows, std::make_index_sequence<kLanes>());
  if constexpr (distance > 1) return sums_of_lanes<distance / 2>(rows);
  return rows[0];
}

/// Returns x with each lane replaced by its neighbor at `distance`.
template <std::size_t distance, std::size_t... lane>
static inline Vector exchanged(Vector x, std::index_sequence<lane...>) {
  return __builtin_shufflevector(x, x, (lane ^ distance)...);
}

/// Return the sum of all lanes, or the largest of them, in every lane.
template <std::size_t distance = kLanes / 2>
static inline Vector sum_of_lanes(Vector x) {
  x += exchanged<distance>(x, std::make_index_sequence<kLanes>());
  if constexpr (distance > 1) return sum_of_lanes<distance / 2>(x);
  return x;
}
template <std::size_t distance = kLanes / 2>
static inline Vector largest_of_lanes(Vector x) {
  const Vector other = exchanged<distance>(x, std::make_index_sequence<kLanes>());
  x = other > x ? other : x;
  if constexpr (distance > 1) return largest_of_lanes<distance / 2>(x);
  return x;
}

/// Loads `count` elements of a vector, followed by zeros.
template <class T>
static inline Vector load_first(const T* from, std::int64_t count) {
  float elements[kLanes] = {};
  // scalar: fewer than a vector
  for (std::int64_t i = 0; i < count; ++i) elements[i] = from[i];
  return load(elements);
}

/// Queries as floats, each in whole vectors padded with zeros, one after the other; and the place of their
/// scores.
struct AttendedQueries {
  float* data;
  std::int64_t width;  // features
  float* scores;       // one row of whole vectors per query
  std::int64_t keys;   // capacity of a row of scores
  /// The bias of the scores of query 0, a number for each key; null: no bias. The bias of query i begins i
  /// elements earlier, as it depends on the distance between key and query.
  const float* bias = nullptr;

  float* query(int i) const { return data + i * whole_vectors(width); }
  float* scores_of(int i) const { return scores + i * whole_vectors(keys); }
  /// Returns the number of floats for this many queries.
  static constexpr std::int64_t scratch(std::int64_t queries, std::int64_t width, std::int64_t keys) {
    return queries * (whole_vectors(width) + whole_vectors(keys));
  }
};

/// Stores `from`, times `scale`, as query i.
template <class T>
static inline void take_query(const AttendedQueries& q, int i, const T* __restrict from, float scale) {
  float* __restrict to = q.query(i);
  for (std::int64_t f = 0; f < q.width; ++f) to[f] = scale * from[f];
  // scalar: fewer than a vector
  for (std::int64_t f = q.width; f < whole_vectors(q.width); ++f) to[f] = 0.0F;
}

/// Prefetches n elements.
template <class T>
static inline void fetch(const T* from, std::int64_t n) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  for (std::int64_t i = 0; i < n; i += kLine) __builtin_prefetch(from + i);
}

/// Computes the scores of keys [first, first + count), count <= kLanes; the rest of the vector is undefined.
/// Keys and values exceed the nearest caches, so values and the keys of the next head are prefetched.
template <int queries, class KeyAt, class ValueAt>
static inline void score_keys(const AttendedQueries& q, std::int64_t first, std::int64_t count,
                              const KeyAt& key_at, const ValueAt& value_at) {
  Vector products[queries][kLanes] = {};
  for (std::int64_t lane = 0; lane < count; ++lane) {
    const auto* key = key_at(first + lane);
    fetch(value_at(first + lane), q.width);
    fetch(key + q.width, q.width);
    Vector sum[queries] = {};
    std::int64_t f = 0;
    for (; f + kLanes <= q.width; f += kLanes) {
      const Vector features = load(key + f);
      for (int i = 0; i < queries; ++i) sum[i] += load(q.query(i) + f) * features;
    }
    if (f < q.width) {
      const Vector features = load_first(key + f, q.width - f);
      for (int i = 0; i < queries; ++i) sum[i] += load(q.query(i) + f) * features;
    }
    for (int i = 0; i < queries; ++i) products[i][lane] = sum[i];
  }
  for (int i = 0; i < queries; ++i) store(q.scores_of(i) + first, sums_of_lanes(products[i]));
}

/// Computes p += x.
static inline void add(float* __restrict p, const float* __restrict x, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) p[j] += x[j];
}

/// Computes p := softmax(p) over the first n elements, and writes zeros after them up to the end of a vector.
static inline void softmax_of_scores(float* __restrict p, std::int64_t n) {
  constexpr float kNothing = -3e38F;  // below all scores: its weight is 0
  const std::int64_t padded = whole_vectors(n);
  for (std::int64_t lane = n; lane < padded; ++lane) p[lane] = kNothing;
  Vector top = load(p);
  for (std::int64_t j = kLanes; j < padded; j += kLanes) {
    const Vector next = load(p + j);
    top = next > top ? next : top;
  }
  const float largest = largest_of_lanes(top)[0];
  Vector total = {};
  for (std::int64_t j = 0; j < padded; j += kLanes) {
    float shares[kLanes];
    for (std::int64_t lane = 0; lane < kLanes; ++lane) shares[lane] = exponential(p[j + lane] - largest);
    total += load(shares);
    store(p + j, load(shares));
  }
  const Vector factor = 1.0F / sum_of_lanes(total);
  for (std::int64_t j = 0; j < padded; j += kLanes) store(p + j, load(p + j) * factor);
}

/// Computes `vectors` vectors of the outputs, from feature f on.
template <int queries, int vectors, class ValueAt, class T>
static inline void weigh(const AttendedQueries& q, std::int64_t n, std::int64_t f, const ValueAt& value_at,
                         T* output, std::int64_t stride) {
  Vector sum[queries][vectors] = {};
  for (std::int64_t j = 0; j < n; ++j) {
    const auto* value = value_at(j) + f;
    for (int v = 0; v < vectors; ++v) {
      const Vector features = load(value + v * kLanes);
      for (int i = 0; i < queries; ++i) sum[i][v] += q.scores_of(i)[j] * features;
    }
  }
  for (int i = 0; i < queries; ++i)
    for (int v = 0; v < vectors; ++v) store(output + i * stride + f + v * kLanes, sum[i][v]);
}

/// Computes the last features of the outputs, fewer than a vector.
template <int queries, class ValueAt, class T>
static inline void weigh_last(const AttendedQueries& q, std::int64_t n, std::int64_t f,
                              const ValueAt& value_at, T* output, std::int64_t stride) {
  Vector sum[queries] = {};
  for (std::int64_t j = 0; j < n; ++j) {
    const Vector features = load_first(value_at(j) + f, q.width - f);
    for (int i = 0; i < queries; ++i) sum[i] += q.scores_of(i)[j] * features;
  }
  for (int i = 0; i < queries; ++i)
    for (std::int64_t lane = 0; f + lane < q.width; ++lane) output[i * stride + f + lane] = sum[i][lane];
}

/// Computes the scores of n keys.
template <int queries, class KeyAt, class ValueAt>
static inline void score_all(const AttendedQueries& q, std::int64_t n, const KeyAt& key_at,
                             const ValueAt& value_at) {
  for (std::int64_t j = 0; j < n; j += kLanes)
    score_keys<queries>(q, j, least(kLanes, n - j), key_at, value_at);
}

/// Computes output[i] = the sum of n values, weighted by the scores. Rows of the output are `stride` apart.
template <int queries, class ValueAt, class T>
static inline void weigh_all(const AttendedQueries& q, std::int64_t n, const ValueAt& value_at, T* output,
                             std::int64_t stride) {
  constexpr int kVectors = kRegisters / 8;  // at a time, so that sums stay in registers
  std::int64_t f = 0;
  for (; f + kVectors * kLanes <= q.width; f += kVectors * kLanes)
    weigh<queries, kVectors>(q, n, f, value_at, output, stride);
  for (; f + kLanes <= q.width; f += kLanes) weigh<queries, 1>(q, n, f, value_at, output, stride);
  if (f < q.width) weigh_last<queries>(q, n, f, value_at, output, stride);
}

/// Computes output[i] = softmax(query i . keys + bias) values for n keys, or zeros without keys. Rows of the
/// output are `stride` apart.
template <int queries, class KeyAt, class ValueAt, class T>
static inline void attend(const AttendedQueries& q, std::int64_t n, const KeyAt& key_at,
                          const ValueAt& value_at, T* output, std::int64_t stride) {
  score_all<queries>(q, n, key_at, value_at);
  for (int i = 0; i < queries && q.bias != nullptr; ++i) add(q.scores_of(i), q.bias - i, n);
  for (int i = 0; i < queries && n > 0; ++i) softmax_of_scores(q.scores_of(i), n);
  weigh_all<queries>(q, n, value_at, output, stride);
}

}  // namespace nmt::cpu::NMT_ISA
