#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "backend/reference/dropout.h"
#include "backend/reference/product.h"
#include "backend/reference/reference.h"

namespace nmt {
namespace {

double normalizer_of(const std::vector<double>& x) {
  return x.empty() ? 0 : log_sum_exp(x.data(), static_cast<std::int64_t>(x.size()));
}

void softmax(std::vector<double>& x) {
  const double normalizer = normalizer_of(x);
  for (double& value : x) value = std::exp(value - normalizer);
}

/// A row of queries, its position in its sequence, its first key row, the number of its visible keys, and a
/// head.
struct QueryPlace {
  std::int64_t row, position, first_key, visible, head;
};

/// Calls visit(place) for every row of queries and every head.
template <class Visit>
void for_each_query(const Attention& attention, Visit visit) {
  for (std::int64_t s = 0; s < attention.queries.count; ++s) {
    const std::int64_t first_query = attention.queries.begin.data<std::int32_t>()[s];
    const std::int64_t first_key = attention.keys.begin.data<std::int32_t>()[s];
    const std::int64_t queries = attention.queries.length.data<std::int32_t>()[s];
    const std::int64_t keys = attention.keys.length.data<std::int32_t>()[s];
    for (std::int64_t i = 0; i < queries; ++i)
      for (std::int64_t head = 0; head < attention.heads; ++head)
        visit(
            QueryPlace{first_query + i, i, first_key, attention.causal ? std::min(keys, i + 1) : keys, head});
  }
}

/// Stores the weights of a query row if they are wanted, followed by zeros for keys that it does not see.
void show(const Attention& attention, std::int64_t row, std::int64_t head,
          const std::vector<double>& weights) {
  const std::int64_t longest = attention.keys.longest;
  double* shown = attention.weights.row<double>(row) + head * longest;
  std::fill_n(std::copy(weights.begin(), weights.end(), shown),
              longest - static_cast<std::int64_t>(weights.size()), 0.0);
}

std::int64_t bucket_of(const RelativeBias& bias, std::int64_t distance) {
  const std::int64_t farthest = bias.farthest();
  return bias.buckets.data<std::int32_t>()[std::clamp(distance, -farthest, farthest) + farthest];
}

/// Returns the bias of a head at a distance, 0 without a bias.
double bias_of(const RelativeBias& bias, std::int64_t distance, std::int64_t head) {
  return bias ? bias.table.row<double>(bucket_of(bias, distance))[head] : 0;
}

/// Returns the row of a distance in tables of relative vectors.
std::int64_t row_of(const RelativeVectors& relative, std::int64_t distance) {
  return std::clamp(distance, -relative.farthest(), relative.farthest()) + relative.farthest();
}

/// Returns x, of `width` elements, plus the vector of a distance in one of the tables of `relative`.
std::vector<double> with_vector(const double* x, std::int64_t width, const RelativeVectors& relative,
                                const Tensor& table, std::int64_t distance) {
  std::vector<double> sum(x, x + width);
  if (!relative) return sum;
  const double* vector = table.row<double>(row_of(relative, distance));
  std::transform(sum.begin(), sum.end(), vector, sum.begin(), std::plus<>());
  return sum;
}

/// One query row and one head of an Attention: its slices, and its dropout.
struct Head {
  Head(const Attention& attention, std::int64_t query_row, std::int64_t head)
      : width(attention.query.columns() / attention.heads),
        number(head),
        scale(scale_of<double>(attention.scale, width)),
        query_columns(attention.query.columns()),
        query(attention.query.row<double>(query_row) + head * width),
        dropout(attention.dropout, query_row, head + 1, head * mask_bytes(attention.keys.longest)) {}

  /// Returns the slice of a row of queries, or of keys or values, which heads may share.
  double* slice(const Tensor& x, std::int64_t row) const {
    return x.row<double>(row) + number / (query_columns / x.columns()) * width;
  }
  /// Return key or value `j` of its sequence, as a query sees it.
  std::vector<double> key(const Attention& attention, const QueryPlace& place, std::int64_t j) const {
    return with_vector(slice(attention.key, place.first_key + j), width, attention.relative,
                       attention.relative.keys, j - place.position);
  }
  std::vector<double> value(const Attention& attention, const QueryPlace& place, std::int64_t j) const {
    return with_vector(slice(attention.value, place.first_key + j), width, attention.relative,
                       attention.relative.values, j - place.position);
  }
  double dot(const double* a, const std::vector<double>& b) const {
    return std::inner_product(b.begin(), b.end(), a, 0.0);
  }
  std::vector<double> scores(const Attention& attention, const QueryPlace& place) const {
    std::vector<double> result;
    for (std::int64_t j = 0; j < place.visible; ++j) {
      result.push_back(scale * dot(query, key(attention, place, j)) +
                       bias_of(attention.bias, j - place.position, place.head));
    }
    return result;
  }

  std::int64_t width, number;
  double scale;
  std::int64_t query_columns;
  const double* query;
  DropoutRow dropout;
};

}  // namespace

void ReferenceBackend::run(const Rotate& rotation) {
  const std::int64_t half = rotation.table.columns() / 2;
  for (std::int64_t r = 0; r < rotation.x.rows(); ++r) {
    const double* angles = rotation.table.row<double>(rotation.positions.data<std::int32_t>()[r]);
    for (std::int64_t first = 0; first < rotation.x.columns(); first += 2 * half) {
      double* head = rotation.x.row<double>(r) + first;
      for (std::int64_t j = 0; j < half; ++j) {
        const double x = head[j], y = head[half + j];
        const double sine = rotation.inverse ? -angles[j] : angles[j], cosine = angles[half + j];
        head[j] = x * cosine - y * sine;
        head[half + j] = y * cosine + x * sine;
      }
    }
  }
}

void ReferenceBackend::run(const Attention& attention) {
  const std::int64_t bytes = mask_bytes(attention.keys.longest);
  for_each_query(attention, [&](const QueryPlace& place) {
    const Head head(attention, place.row, place.head);
    head.dropout.draw(bytes, place.visible);
    std::vector<double> weights = head.scores(attention, place);
    if (attention.log_sum_exp)
      attention.log_sum_exp.row<double>(place.row)[place.head] = normalizer_of(weights);
    softmax(weights);
    if (attention.weights) show(attention, place.row, place.head, weights);
    double* output = head.slice(attention.output, place.row);
    std::fill_n(output, head.width, 0.0);
    for (std::int64_t j = 0; j < place.visible; ++j) {
      const double weight = head.dropout.factor(j) * weights[static_cast<std::size_t>(j)];
      const std::vector<double> value = head.value(attention, place, j);
      for (std::int64_t f = 0; f < head.width; ++f) output[f] += weight * value[static_cast<std::size_t>(f)];
    }
  });
}

/// Computes the gradients. With p = softmax(s), s = scale q k + b and w = dropout(p): d_p = dropout'(d_o v),
/// d_s = d_b = p (d_p - sum p d_p).
void ReferenceBackend::run(const AttentionBackward& attention) {
  zero(attention.d_query);
  zero(attention.d_key);
  zero(attention.d_value);
  if (attention.d_products) zero(attention.d_products);
  if (attention.weight_sums) zero(attention.weight_sums);
  const Attention& forward = attention.forward;
  for_each_query(forward, [&](const QueryPlace& place) {
    const Head head(forward, place.row, place.head);
    std::vector<double> weights = head.scores(forward, place);
    softmax(weights);
    const double* d_output = head.slice(attention.d_output, place.row);
    std::vector<double> d_weights;
    for (std::int64_t j = 0; j < place.visible; ++j)
      d_weights.push_back(head.dropout.factor(j) * head.dot(d_output, head.value(forward, place, j)));
    const double mean = std::inner_product(weights.begin(), weights.end(), d_weights.begin(), 0.0);
    for (std::int64_t j = 0; j < place.visible; ++j) {
      const double weight = weights[static_cast<std::size_t>(j)];
      double d_score = weight * (d_weights[static_cast<std::size_t>(j)] - mean);
      if (place.head == 0 && attention.d_scores) d_score += attention.d_scores.row<double>(place.row)[j];
      if (attention.d_bias)
        attention.d_bias.row<double>(bucket_of(forward.bias, j - place.position))[place.head] += d_score;
      d_score *= head.scale;
      if (forward.relative) {
        const std::int64_t column =
            place.head * forward.relative.distances() + row_of(forward.relative, j - place.position);
        attention.d_products.row<double>(place.row)[column] += d_score;
        attention.weight_sums.row<double>(place.row)[column] += head.dropout.factor(j) * weight;
      }
      const std::vector<double> key = head.key(forward, place, j);
      double* d_query = head.slice(attention.d_query, place.row);
      double* d_key = head.slice(attention.d_key, place.first_key + j);
      double* d_value = head.slice(attention.d_value, place.first_key + j);
      for (std::int64_t f = 0; f < head.width; ++f) {
        d_query[f] += d_score * key[static_cast<std::size_t>(f)];
        d_key[f] += d_score * head.query[f];
        d_value[f] += head.dropout.factor(j) * weight * d_output[f];
      }
    }
  });
}

void ReferenceBackend::run(const SumSharedHeads& sum) {
  zero(sum.to);
  const std::int64_t sharing = heads_that_share(sum.from, sum.to), heads = sum.from.columns() / sum.width;
  for (std::int64_t r = 0; r < sum.from.rows(); ++r) {
    for (std::int64_t head = 0; head < heads; ++head) {
      const double* from = sum.from.row<double>(r) + head * sum.width;
      double* to = sum.to.row<double>(r) + head / sharing * sum.width;
      for (std::int64_t f = 0; f < sum.width; ++f) to[f] += from[f];
    }
  }
}

void ReferenceBackend::run(const GuidedAlignment& guided) {
  for (std::int64_t r = 0; r < guided.loss.columns(); ++r) {
    const double* weights = guided.weights.row<double>(r);
    const std::int32_t begin = guided.links.begin.data<std::int32_t>()[r];
    const std::int32_t links = guided.links.length.data<std::int32_t>()[r];
    const std::int32_t* keys = guided.keys.data<std::int32_t>() + begin;
    double loss = 0;
    for (std::int32_t i = 0; i < links; ++i)
      loss -= guided.factor / links * std::log(std::max(weights[keys[i]], kLeastAlignedWeight));
    guided.loss.data<double>()[r] = loss;
    if (!guided.d_scores) continue;
    const double factor = links == 0 ? 0 : guided.scale.data<double>()[0] * guided.factor;
    double* d_scores = guided.d_scores.row<double>(r);
    for (std::int64_t j = 0; j < guided.d_scores.columns(); ++j) d_scores[j] = factor * weights[j];
    for (std::int32_t i = 0; i < links; ++i) d_scores[keys[i]] -= factor / links;
  }
}

void ReferenceBackend::run(const CachedAttention& attention) {
  const std::int64_t width = attention.query.columns() / attention.heads;
  const double scale = scale_of<double>(attention.scale, width);
  for (std::int64_t r = 0; r < attention.query.rows(); ++r) {
    const auto* index = attention.index.row<std::int32_t>(r);
    const std::int32_t position = attention.position.data<std::int32_t>()[r];
    std::copy_n(attention.own_key.row<double>(r), attention.key.columns(),
                attention.key.row<double>(index[position]));
    std::copy_n(attention.own_value.row<double>(r), attention.key.columns(),
                attention.value.row<double>(index[position]));
    for (std::int64_t head = 0; head < attention.heads; ++head) {
      const std::int64_t shared = head / heads_that_share(attention.query, attention.key) * width;
      const double* query = attention.query.row<double>(r) + head * width;
      const auto length = static_cast<std::size_t>(position) + 1;
      std::vector<double> weights(length);
      for (std::size_t j = 0; j < length; ++j) {
        const std::int64_t distance = static_cast<std::int64_t>(j) - position;
        const std::vector<double> key = with_vector(attention.key.row<double>(index[j]) + shared, width,
                                                    attention.relative, attention.relative.keys, distance);
        weights[j] = scale * std::inner_product(key.begin(), key.end(), query, 0.0) +
                     bias_of(attention.bias, distance, head);
      }
      softmax(weights);
      double* output = attention.output.row<double>(r) + head * width;
      std::fill_n(output, width, 0.0);
      for (std::size_t j = 0; j < length; ++j) {
        const std::vector<double> value =
            with_vector(attention.value.row<double>(index[j]) + shared, width, attention.relative,
                        attention.relative.values, static_cast<std::int64_t>(j) - position);
        for (std::int64_t f = 0; f < width; ++f) output[f] += weights[j] * value[static_cast<std::size_t>(f)];
      }
    }
  }
}

}  // namespace nmt
