#include "translate/quality/estimator.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "nn/comet/comet_features.h"
#include "tensor/reals.h"
#include "translate/quality/sequence_batches.h"

namespace nmt {
namespace {

using Vector = Estimator::Vector;

/// Returns the results of an operation on the elements of a and b.
template <class Operation>
Vector combined(const Vector& a, const Vector& b, const Operation& operation) {
  Vector result(a.size());
  std::ranges::transform(a, b, result.begin(), operation);
  return result;
}

Vector product(const Vector& a, const Vector& b) {
  return combined(a, b, std::multiplies());
}
Vector difference(const Vector& a, const Vector& b) {
  return combined(a, b, [](float x, float y) { return std::abs(x - y); });
}
Vector sum(const Vector& a, const Vector& b) {
  return combined(a, b, std::plus());
}

Vector joined(const std::vector<Vector>& vectors) {
  Vector row;
  for (const Vector& each : vectors) row.insert(row.end(), each.begin(), each.end());
  return row;
}

Vector comparison(const Vector& a, const Vector& b) {
  return joined({product(a, b), difference(a, b)});
}

/// Uploads rows [begin, end).
Var uploaded(Graph& g, std::size_t begin, std::size_t end, const Estimator::Row& row) {
  Vector all;
  for (std::size_t i = begin; i < end; ++i) {
    const Vector own = row(i);
    all.reserve((end - begin) * own.size());
    all.insert(all.end(), own.begin(), own.end());
  }
  const auto rows = static_cast<std::int64_t>(end - begin);
  const Tensor x = g.allocate(rows, std::ssize(all) / rows);
  if (x.dtype() == DType::f32) {
    g.backend().upload(x, all.data());
  } else {
    g.backend().upload(x, narrow({all.begin(), all.end()}, x.dtype()).data());
  }
  return g.variable(x);
}

}  // namespace

/// A comparison of a translation, given by its place in `translations`, and a vector.
struct Estimator::Pair {
  std::size_t translation, vector;
  std::optional<std::size_t> reverse =
      {};  // the place of `vector` as a translation, whose reference is the other
};

Vector Estimator::features(const Vector& translation, const Vector& source, const Vector& reference) {
  return joined(
      comet_features(translation, source, reference.empty() ? nullptr : &reference, product, difference));
}

void Estimator::each_piece(std::size_t count, const Take& take) const {
  constexpr std::size_t kRowsAtOnce = 256;
  workers_.run((count + kRowsAtOnce - 1) / kRowsAtOnce, [&](std::size_t piece, Worker& worker) {
    const std::size_t begin = piece * kRowsAtOnce;
    take(begin, std::min(begin + kRowsAtOnce, count), worker);
  });
}

void Estimator::read_scores(Worker& worker, const Var& outputs, double* scores) const {
  for (const double x : download_reals(worker.backend(), outputs.value)) {
    if (!std::isfinite(x)) refuse_not_finite();
    *scores++ = activated(x, model_.config().output_activation);
  }
}

std::vector<double> Estimator::scores(std::size_t count, const Row& row) const {
  std::vector<double> scores(count);
  each_piece(count, [&](std::size_t begin, std::size_t end, Worker& worker) {
    Graph g(worker);
    read_scores(worker, model_.estimate(g, uploaded(g, begin, end, row)), scores.data() + begin);
  });
  return scores;
}

std::vector<Vector> Estimator::parts_of_first_layer(std::size_t count, const Row& row,
                                                    std::int64_t first) const {
  std::vector<Vector> parts(count);
  each_piece(count, [&](std::size_t begin, std::size_t end, Worker& worker) {
    Graph g(worker);
    const Var part = model_.part_of_first_layer(g, uploaded(g, begin, end, row), first);
    const std::vector<double> all = download_reals(worker.backend(), part.value);
    const std::int64_t width = part.value.columns();
    for (std::size_t i = begin; i < end; ++i) {
      const auto own = all.begin() + static_cast<std::int64_t>(i - begin) * width;
      parts[i].assign(own, own + width);
    }
  });
  return parts;
}

std::vector<Estimator::Pair> Estimator::pairs_of(std::size_t vectors,
                                                 const std::vector<std::size_t>& translations) {
  std::map<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < translations.size(); ++i) places[translations[i]] = i;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    for (std::size_t j = 0; j < vectors; ++j) {
      const auto reverse = places.find(j);
      if (reverse == places.end() || reverse->second == i) {
        pairs.push_back({i, j});
      } else if (reverse->second > i) {
        pairs.push_back({i, j, reverse->second});
      }
    }
  }
  std::stable_partition(pairs.begin(), pairs.end(),
                        [](const Pair& pair) { return pair.reverse.has_value(); });
  return pairs;
}

std::vector<double> Estimator::compare(const Vector& source, std::span<const Vector> vectors,
                                       const std::vector<std::size_t>& translations) const {
  const auto translation = [&](std::size_t i) -> const Vector& { return vectors[translations[i]]; };
  std::vector<Vector> own = parts_of_first_layer(translations.size(), translation, kPlaceOfTranslation);
  const std::vector<Vector> with_source = parts_of_first_layer(
      translations.size(), [&](std::size_t i) { return comparison(translation(i), source); },
      kPlaceOfComparisonWithSource);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = sum(own[i], with_source[i]);
  const std::vector<Vector> as_reference = parts_of_first_layer(
      vectors.size(), [&](std::size_t j) { return vectors[j]; }, kPlaceOfReference);

  const std::vector<Pair> pairs = pairs_of(vectors.size(), translations);
  const auto place = [&](std::size_t i, std::size_t j) { return i * vectors.size() + j; };
  std::vector<double> scores(translations.size() * vectors.size());
  each_piece(pairs.size(), [&](std::size_t begin, std::size_t end, Worker& worker) {
    Graph g(worker);
    const Var compared = model_.part_of_first_layer(
        g,
        uploaded(g, begin, end,
                 [&](std::size_t p) {
                   return comparison(translation(pairs[p].translation), vectors[pairs[p].vector]);
                 }),
        kPlaceOfComparison);
    std::vector<double> found(end - begin);
    const Var others = uploaded(g, begin, end, [&](std::size_t p) {
      return sum(own[pairs[p].translation], as_reference[pairs[p].vector]);
    });
    read_scores(worker, model_.estimate_from_parts(g, {compared, others}), found.data());
    for (std::size_t p = begin; p < end; ++p)
      scores[place(pairs[p].translation, pairs[p].vector)] = found[p - begin];

    std::size_t reversed = begin;
    while (reversed < end && pairs[reversed].reverse) ++reversed;
    if (reversed == begin) return;
    const Var rest = uploaded(g, begin, reversed, [&](std::size_t p) {
      return sum(own[*pairs[p].reverse], as_reference[translations[pairs[p].translation]]);
    });
    const Var same = g.variable(compared.value.slice_rows(0, rest.value.rows()));
    read_scores(worker, model_.estimate_from_parts(g, {same, rest}), found.data());
    for (std::size_t p = begin; p < reversed; ++p)
      scores[place(*pairs[p].reverse, translations[pairs[p].translation])] = found[p - begin];
  });
  return scores;
}

}  // namespace nmt
