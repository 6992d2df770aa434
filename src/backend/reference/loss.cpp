#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "backend/reference/product.h"
#include "backend/reference/reference.h"
#include "common/philox.h"
#include "tensor/operations/output.h"

namespace nmt {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

/// The filters of a row.
struct Filters {
  double temperature, most, mass, share, floor;

  /// Returns the least logit that passes the filters.
  double least(const std::vector<double>& logits) const {
    std::vector<double> sorted = logits;
    std::stable_sort(sorted.begin(), sorted.end(), std::greater());  // may contain NaN
    double least = std::numeric_limits<double>::lowest();
    if (most > 0)
      least = std::max(least, sorted[std::min(static_cast<std::size_t>(most), sorted.size()) - 1]);
    if (mass < 1) least = std::max(least, least_of_mass(sorted, least));
    if (share > 0) least = std::max(least, sorted[0] + temperature * std::log(share));
    if (floor > 0) {
      const double log_share = std::log(floor * sums_from(least, sorted).back());
      least = std::max(least, sorted[0] + temperature * std::min(0.0, log_share));
    }
    return least;
  }

 private:
  /// Returns the logit at which the remaining largest logits reach the mass.
  double least_of_mass(const std::vector<double>& sorted, double least) const {
    const std::vector<double> sums = sums_from(least, sorted);
    const auto there = std::ranges::lower_bound(sums, mass * sums.back());
    return there == sums.end() ? least : sorted[static_cast<std::size_t>(there - sums.begin())];
  }

  /// Returns the sums of the probabilities of the first 1, 2, ... logits, each divided by the largest one;
  /// those of logits below `least` are 0.
  std::vector<double> sums_from(double least, const std::vector<double>& sorted) const {
    std::vector<double> sums;
    for (const double logit : sorted) {
      const double weight = logit >= least ? std::exp((logit - sorted[0]) / temperature) : 0;
      sums.push_back(weight + (sums.empty() ? 0 : sums.back()));
    }
    return sums;
  }
};

/// Returns the perturbed logits of ids of row r, the largest of which are the samples: minus infinity for
/// those removed by its filters.
std::vector<double> perturbed(const Sampling& sampling, std::int64_t r, const std::vector<double>& logits,
                              const std::vector<std::int32_t>& ids) {
  const double* filter = sampling.filters.row<double>(r);
  const Filters filters{filter[0], filter[1], filter[2], filter[3], filter[4]};
  const double least = filters.least(logits);
  const std::int32_t position = sampling.position.data<std::int32_t>()[r];
  std::vector<double> keys(logits.size(), kNever);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (logits[i] >= least)
      keys[i] =
          logits[i] / filters.temperature + gumbel_noise(sampling.key.row<std::int32_t>(r), position, ids[i]);
  }
  return keys;
}

/// Returns the logits of row r.
std::vector<double> logits_of(const OutputLayer& output, std::int64_t r) {
  std::vector<double> logits = multiply_row(output.x.row<double>(r), output.weight, output.weight_scale);
  if (output.bias)
    std::transform(logits.begin(), logits.end(), output.bias.row<double>(0), logits.begin(), std::plus());
  return logits;
}

/// The targets of the gradients of an output layer.
struct OutputGradients {
  Tensor dx, d_weight, d_bias;
};

/// Computes the gradients of the operands of row r's logits, given those of the logits.
void propagate(const OutputLayer& output, const OutputGradients& to, std::int64_t r,
               const std::vector<double>& d_logits) {
  const double* x = output.x.row<double>(r);
  double* dx = to.dx.row<double>(r);
  std::fill_n(dx, to.dx.columns(), 0.0);
  for (std::int64_t v = 0; v < std::ssize(d_logits); ++v) {
    const double dz = d_logits[static_cast<std::size_t>(v)];
    for (std::int64_t i = 0; i < to.dx.columns(); ++i) {
      dx[i] += dz * output.weight.row<double>(v)[i];
      if (to.d_weight) to.d_weight.row<double>(v)[i] += dz * x[i];
    }
    if (to.d_bias) to.d_bias.row<double>(0)[v] += dz;
  }
}

/// A row of logits, its losses, and the gradient of the smoothed loss.
struct RowLoss {
  std::vector<double> log_probabilities, d_logits;
  double loss, nll;
};

RowLoss row_loss(std::vector<double> logits, std::size_t label, double smoothing) {
  const double normalizer = log_sum_exp(logits.data(), std::ssize(logits));
  const double uniform = smoothing / static_cast<double>(logits.size());
  RowLoss row{.log_probabilities = std::move(logits), .d_logits = {}, .loss = 0, .nll = 0};
  for (double& logit : row.log_probabilities) logit -= normalizer;
  row.nll = -row.log_probabilities[label];
  row.loss = (1 - smoothing) * row.nll;
  for (const double log_p : row.log_probabilities) {
    row.loss -= uniform * log_p;
    row.d_logits.push_back(std::exp(log_p) - uniform);
  }
  row.d_logits[label] -= 1 - smoothing;
  return row;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

/// Returns KL(p || q) of distributions given by their logarithms.
double divergence(const std::vector<double>& log_p, const std::vector<double>& log_q) {
  double sum = 0;
  for (std::size_t v = 0; v < log_p.size(); ++v) sum += std::exp(log_p[v]) * (log_p[v] - log_q[v]);
  return sum;
}

/// Adds the gradient of forward KL(p || q) + backward KL(q || p) to that of p's logits.
void add_divergence(RowLoss& p, const RowLoss& q, double forward, double backward) {
  const double own = divergence(p.log_probabilities, q.log_probabilities);
  for (std::size_t v = 0; v < p.d_logits.size(); ++v) {
    const double log_p = p.log_probabilities[v], log_q = q.log_probabilities[v];
    p.d_logits[v] += forward * std::exp(log_p) * (log_p - log_q - own);
    p.d_logits[v] += backward * (std::exp(log_p) - std::exp(log_q));
  }
}

double weight_of(const Tensor& weights, std::int64_t r) {
  return weights ? weights.data<float>()[r] : 1;
}

/// The candidates for row r: ids, and their columns in the logits.
struct Choice {
  std::vector<std::int32_t> ids, columns;
};

Choice choice_of(const TopK& top, std::int64_t r) {
  if (const Candidates& c = top.candidates) {
    const std::int32_t list = c.list.data<std::int32_t>()[r];
    const std::int32_t begin = c.lists.begin.data<std::int32_t>()[list],
                       length = c.lists.length.data<std::int32_t>()[list];
    const auto part = [&](const Tensor& all) {
      const std::int32_t* first = all.data<std::int32_t>() + begin;
      return std::vector<std::int32_t>(first, first + length);
    };
    return {part(c.ids), part(c.columns)};
  }
  Choice choice;
  choice.ids.resize(static_cast<std::size_t>(top.outputs[0].weight.rows()));
  std::iota(choice.ids.begin(), choice.ids.end(), 0);
  choice.columns = choice.ids;
  return choice;
}

bool is_masked(const TokenMasks& masks, std::int64_t r, std::int32_t id) {
  if (!masks) return false;
  const std::int32_t mask = masks.mask.data<std::int32_t>()[r];
  if (mask < 0) return false;
  const auto bits = static_cast<std::uint32_t>(masks.bits.row<std::int32_t>(mask)[id / 32]);
  return (bits >> (id % 32) & 1) != 0;
}

/// Returns the logits of the candidates for row r by model m, as the softmax reads them.
std::vector<double> chosen_logits(const TopK& top, std::int64_t r, const Choice& choice, std::size_t m) {
  const std::vector<double> all = logits_of(top.outputs[m], r);
  std::vector<double> logits;
  logits.reserve(choice.columns.size());
  for (const std::int32_t column : choice.columns) logits.push_back(all[static_cast<std::size_t>(column)]);
  if (top.penalty) {
    const double factor = top.penalty.factor.data<double>()[r];
    const std::int32_t* repeated = top.penalty.ids.row<std::int32_t>(r);
    for (std::size_t v = 0; v < logits.size(); ++v) {
      if (std::find(repeated, repeated + top.penalty.ids.columns(), choice.ids[v]) !=
          repeated + top.penalty.ids.columns())
        logits[v] = logits[v] > 0 ? logits[v] / factor : logits[v] * factor;
    }
  }
  for (std::size_t v = 0; v < logits.size(); ++v)
    if (is_masked(top.removed, r, choice.ids[v])) logits[v] = -std::numeric_limits<double>::infinity();
  return logits;
}

/// Computes the weighted sum over models of the logits of row r, and returns the weighted sum of log_sum_exp.
double sum_logits(const TopK& top, std::int64_t r, const Choice& choice, std::vector<double>& sum) {
  std::vector<double> weights = top.weights;
  if (weights.empty()) weights.assign(top.outputs.size(), 1 / static_cast<double>(top.outputs.size()));
  double normalizer = 0;
  sum.assign(choice.columns.size(), 0);
  for (std::size_t m = 0; m < weights.size(); ++m) {
    const std::vector<double> logits = chosen_logits(top, r, choice, m);
    normalizer += weights[m] * log_sum_exp(logits.data(), std::ssize(logits));
    for (std::size_t v = 0; v < sum.size(); ++v) sum[v] += weights[m] * logits[v];
  }
  return normalizer;
}

/// Returns the places of the `count` largest keys, in falling order, ties to the lower place.
std::vector<std::size_t> places_of_largest(const std::vector<double>& keys, std::int64_t count) {
  std::vector<std::size_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  std::partial_sort(places.begin(), places.begin() + count, places.end(), [&](std::size_t a, std::size_t b) {
    return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
  });
  places.resize(static_cast<std::size_t>(count));
  return places;
}

/// Returns the places of the ids that row r samples, in sampling order.
std::vector<std::size_t> drawn_places(const TopK& top, std::int64_t r, const std::vector<double>& logits,
                                      const Choice& choice) {
  const std::vector<double> keys = perturbed(top.sampling, r, logits, choice.ids);
  const auto draws = static_cast<std::int64_t>(top.sampling.filters.row<double>(r)[5]);
  std::vector<std::size_t> places = places_of_largest(keys, std::min({draws, top.k, std::ssize(keys)}));
  while (places.size() > 1 && std::isinf(keys[places.back()])) places.pop_back();
  return places;
}

}  // namespace

void ReferenceBackend::run(const CrossEntropy& entropy) {
  for (std::int64_t r = 0; r < entropy.output.x.rows(); ++r) {
    if (entropy.labels.data<std::int32_t>()[r] < 0) {
      entropy.nll.data<double>()[r] = entropy.loss.data<double>()[r] = 0;
      if (entropy.dx) std::fill_n(entropy.dx.row<double>(r), entropy.dx.columns(), 0.0);
      continue;
    }
    const auto label = static_cast<std::size_t>(entropy.labels.data<std::int32_t>()[r]);
    const RowLoss row = row_loss(logits_of(entropy.output, r), label, entropy.label_smoothing);
    const double weight = weight_of(entropy.weights, r);
    entropy.nll.data<double>()[r] = row.nll;
    entropy.loss.data<double>()[r] = weight * row.loss;
    if (!entropy.dx) continue;
    propagate(entropy.output, {entropy.dx, entropy.d_weight, entropy.d_bias}, r,
              scaled(row.d_logits, weight * entropy.scale.data<double>()[0]));
  }
}

void ReferenceBackend::run(const PairedCrossEntropy& paired) {
  for (std::int64_t r = 0; r < paired.loss.columns(); ++r) {
    const std::int32_t label = paired.labels.data<std::int32_t>()[r];
    if (label < 0) {
      paired.nll.data<double>()[r] = paired.loss.data<double>()[r] = 0;
      for (const Tensor& dx : paired.dx)
        if (dx) std::fill_n(dx.row<double>(r), dx.columns(), 0.0);
      continue;
    }
    const auto row_of = [&](const OutputLayer& output) {
      return row_loss(logits_of(output, r), static_cast<std::size_t>(label), paired.label_smoothing);
    };
    std::array<RowLoss, 2> rows = {row_of(paired.outputs[0]), row_of(paired.outputs[1])};
    auto& [p, q] = rows;
    const double weight = weight_of(paired.weights, r);
    const auto& [a, b] = paired.factors;
    const double apart = b[0] * divergence(p.log_probabilities, q.log_probabilities) +
                         b[1] * divergence(q.log_probabilities, p.log_probabilities);
    paired.nll.data<double>()[r] = (a[0] * p.nll + a[1] * q.nll) / (a[0] + a[1]);
    paired.loss.data<double>()[r] = weight * (a[0] * p.loss + a[1] * q.loss + apart);
    if (!paired.dx[0]) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].d_logits = scaled(rows[i].d_logits, a[i]);
    add_divergence(p, q, b[0], b[1]);
    add_divergence(q, p, b[1], b[0]);
    const double scale = weight * paired.scale.data<double>()[0];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      propagate(paired.outputs[i], {paired.dx[i], paired.d_weight, paired.d_bias}, r,
                scaled(rows[i].d_logits, scale));
    }
  }
}

void ReferenceBackend::run(const TopK& top) {
  for (std::int64_t r = 0; r < top.values.rows(); ++r) {
    const Choice choice = choice_of(top, r);
    std::vector<double> logits;
    const double normalizer = sum_logits(top, r, choice, logits);
    for (std::size_t v = 0; v < logits.size(); ++v) {
      if (is_masked(top.masks, r, choice.ids[v])) logits[v] = -std::numeric_limits<double>::infinity();
    }
    const bool draws = top.sampling && top.sampling.filters.row<double>(r)[0] > 0;
    const std::vector<std::size_t> best =
        draws ? drawn_places(top, r, logits, choice)
              : places_of_largest(logits, std::min(top.k, std::ssize(logits)));
    std::fill_n(top.ids.row<std::int32_t>(r), top.k, -1);
    std::fill_n(top.values.row<double>(r), top.k, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < best.size(); ++i) {
      top.ids.row<std::int32_t>(r)[i] = choice.ids[best[i]];
      top.values.row<double>(r)[i] = logits[best[i]] - normalizer;
    }
  }
}

}  // namespace nmt
