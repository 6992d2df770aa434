#include "tensor/host_operations.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>

namespace nmt {
namespace {

double sum(const Tensor& losses) {
  if (losses.dtype() == DType::f64) {
    return std::accumulate(losses.data<double>(), losses.data<double>() + losses.size(), 0.0);
  }
  return std::accumulate(losses.data<float>(), losses.data<float>() + losses.size(), 0.0);
}

/// Returns the loss scale after an update with these statistics; see CountUpdate.
LossScale next_scale(const StepStatistics& statistics, const LossScaling& by) {
  const auto within = [&](double scale) { return std::clamp(scale, by.least, by.most); };
  if (statistics.finite == 0) return {within(statistics.gradient_scale / 2)};
  const double updates = statistics.next_scale.updates + 1;
  if (updates >= static_cast<double>(by.interval)) return {within(statistics.gradient_scale * 2)};
  return {statistics.gradient_scale, updates};
}

}  // namespace

void run_on_host(const BeginUpdate& begin) {
  StepStatistics& statistics = statistics_in(begin.statistics);
  statistics.loss = statistics.nll = statistics.squared_norm = 0;
  const auto number = static_cast<std::uint32_t>(static_cast<std::int64_t>(statistics.updates) + 1);
  begin.random.data<std::int32_t>()[1] = static_cast<std::int32_t>(number);
  statistics.gradient_scale = statistics.next_scale.value;
  const double scale = statistics.gradient_scale / static_cast<double>(begin.tokens);
  if (begin.scale.dtype() == DType::f64) {
    begin.scale.data<double>()[0] = scale;
  } else {
    begin.scale.data<float>()[0] = static_cast<float>(scale);
  }
}

void run_on_host(const SumLosses& losses) {
  StepStatistics& statistics = statistics_in(losses.statistics);
  statistics.loss += sum(losses.loss);
  statistics.nll += sum(losses.nll);
}

void run_on_host(const CountUpdate& count) {
  StepStatistics& statistics = statistics_in(count.statistics);
  statistics.finite = std::isfinite(statistics.loss) && std::isfinite(statistics.squared_norm) ? 1 : 0;
  statistics.rate = count.rates.at(
      static_cast<std::size_t>(static_cast<std::int64_t>(statistics.updates) + 1 - count.first));
  statistics.updates += statistics.finite;
  statistics.next_scale = next_scale(statistics, count.scaling);
}

namespace {

/// Computes moments[i] = b moments[i] + (1 - b) (factor * sums[i] + epsilon).
template <class T>
void update_moments(const Tensor& moments, const Tensor& sums, double b, double factor, double epsilon) {
  for (std::int64_t i = 0; i < moments.size(); ++i) {
    const double mean = factor * sums.data<double>()[i] + epsilon;
    moments.data<T>()[i] = static_cast<T>(b * moments.data<T>()[i] + (1 - b) * mean);
  }
}

/// Computes factors[i] = numerator / sqrt(moments[i]).
template <class T>
void invert_roots(const Tensor& factors, const Tensor& moments, double numerator) {
  for (std::int64_t i = 0; i < moments.size(); ++i) {
    factors.data<T>()[i] = static_cast<T>(numerator / std::sqrt(static_cast<double>(moments.data<T>()[i])));
  }
}

template <class T>
void update_moments(const AdafactorMoments& a, const StepStatistics& statistics) {
  const auto rows = static_cast<double>(a.row_sums.size()),
             columns = static_cast<double>(a.column_sums.size());
  const double norm = std::sqrt(statistics.squared_norm) / statistics.gradient_scale;
  const double clip = a.clip_norm > 0 ? std::min(1.0, a.clip_norm / (norm + 1e-6)) : 1;
  const double scale = clip / statistics.gradient_scale, b = 1 - std::pow(statistics.updates, -a.decay);
  update_moments<T>(a.row_moments, a.row_sums, b, scale * scale / columns, a.epsilon);
  update_moments<T>(a.column_moments, a.column_sums, b, scale * scale / rows, a.epsilon);
  const T* moments = a.row_moments.data<T>();
  const double mean = std::accumulate(moments, moments + a.row_moments.size(), 0.0) / rows;
  invert_roots<T>(a.row_factors, a.row_moments, std::sqrt(mean));
  invert_roots<T>(a.column_factors, a.column_moments, scale);
}

}  // namespace

void run_on_host(const AdafactorMoments& moments) {
  const StepStatistics& statistics = statistics_in(moments.statistics);
  if (statistics.finite == 0) return;
  if (moments.row_moments.dtype() == DType::f64) {
    update_moments<double>(moments, statistics);
  } else {
    update_moments<float>(moments, statistics);
  }
}

namespace {

using Ids = std::span<const std::int32_t>;

Ids ids_in(const Tensor& tensor) {
  return {tensor.data<std::int32_t>(), static_cast<std::size_t>(tensor.size())};
}

double value_at(const Tensor& values, std::int64_t row, std::int64_t column) {
  return values.dtype() == DType::f64 ? values.row<double>(row)[column] : values.row<float>(row)[column];
}

/// Whether a continuation ranks before another.
bool comes_first(const Continuation& a, const Continuation& b) {
  const auto place = [](const Continuation& c) {
    return std::tuple(!std::isnan(c.total), std::isnan(c.total) ? 0 : -c.total, c.row, c.token);
  };
  return place(a) < place(b);
}

/// Hands out the free rows of the cache, lowest first. Each row has a bit, which is set if it is taken.
class FreeRows {
 public:
  explicit FreeRows(const Tensor& taken)
      : taken_(taken.data<std::int32_t>(), static_cast<std::size_t>(taken.size())) {}
  FreeRows(const FreeRows&) = delete;
  FreeRows& operator=(const FreeRows&) = delete;
  ~FreeRows() { std::ranges::fill(taken_, 0); }

  /// Takes a row; returns whether it was free.
  bool take(std::int32_t row) {
    const auto bit = static_cast<std::int32_t>(1U << (row % 32));
    return (std::exchange(word_of(row), word_of(row) | bit) & bit) == 0;
  }
  std::int32_t next() {
    while (!take(next_)) ++next_;
    return next_++;
  }

 private:
  std::int32_t& word_of(std::int32_t row) { return taken_[static_cast<std::size_t>(row / 32)]; }

  std::span<std::int32_t> taken_;
  std::int32_t next_ = 0;
};

/// Extends a hypothesis by a continuation; it keeps the cache rows of its past.
void follow(const ExtendHypotheses& extend, std::int64_t before, const Continuation& c, std::int64_t after) {
  const auto& [total, token, position, index] = extend.after;
  const std::int32_t tokens = extend.before.position.data<std::int32_t>()[before] + 1;
  std::copy_n(extend.before.index.row<std::int32_t>(before), tokens, index.row<std::int32_t>(after));
  total.data<double>()[after] = c.total;
  for (std::int64_t m = 0; m < token.rows(); ++m)
    token.row<std::int32_t>(m)[after] = static_cast<std::int32_t>(c.token);
  position.data<std::int32_t>()[after] = tokens;
}

void begin(const ExtendHypotheses& extend, std::int64_t after) {
  extend.after.total.data<double>()[after] = 0;
  const Ids starts = ids_in(extend.starts);
  for (std::size_t m = 0; m < starts.size(); ++m)
    extend.after.token.row<std::int32_t>(static_cast<std::int64_t>(m))[after] = starts[m];
  extend.after.position.data<std::int32_t>()[after] = 0;
}

/// Sets the hypotheses of sentence s, except for the cache rows of their new tokens.
void extend_sentence(const ExtendHypotheses& extend, std::int64_t s) {
  const std::int64_t first = ids_in(extend.sentences.begin)[s], rows = ids_in(extend.sentences.length)[s];
  const std::int64_t before = ids_in(extend.number_before)[s];
  if (before < 0) {
    for (std::int64_t r = 0; r < rows; ++r) begin(extend, first + r);
    return;
  }
  const Continuation* c = continuations_in(extend.ranking, before);
  for (std::int64_t r = 0; r < rows; ++c) {
    assert(c < continuations_in(extend.ranking, before) + continuations_each(extend.ranking));
    if (c->token == extend.end) continue;
    follow(extend, ids_in(extend.row_before)[s] + static_cast<std::int64_t>(c->row), *c, first + r++);
  }
}

}  // namespace

void run_on_host(const RankContinuations& rank) {
  std::vector<Continuation> all;
  for (std::int64_t s = 0; s < rank.sentences.count; ++s) {
    const std::int64_t first = ids_in(rank.sentences.begin)[s];
    all.clear();
    for (std::int64_t r = 0; r < ids_in(rank.sentences.length)[s]; ++r) {
      const double total = rank.total.data<double>()[first + r];
      for (std::int64_t i = 0; i < rank.ids.columns(); ++i) {
        all.push_back({.total = total + value_at(rank.values, first + r, i),
                       .row = static_cast<double>(r),
                       .token = static_cast<double>(rank.ids.row<std::int32_t>(first + r)[i])});
      }
    }
    const std::span ranking(continuations_in(rank.ranking, s),
                            static_cast<std::size_t>(continuations_each(rank.ranking)));
    const auto [read, written] = std::ranges::partial_sort_copy(all, ranking, comes_first);
    std::fill(written, ranking.end(), Continuation{.total = -std::numeric_limits<double>::infinity()});
  }
}

void run_on_host(const ExtendHypotheses& extend) {
  FreeRows free(extend.taken);
  const Ids first = ids_in(extend.sentences.begin), rows = ids_in(extend.sentences.length);
  const std::int32_t* position = extend.after.position.data<std::int32_t>();
  const auto sentences = static_cast<std::size_t>(extend.sentences.count);
  const auto index_of = [&](std::int64_t row) { return extend.after.index.row<std::int32_t>(row); };
  for (std::size_t s = 0; s < sentences; ++s) {
    extend_sentence(extend, static_cast<std::int64_t>(s));
    std::int32_t held = rows[s];  // the rows of the new tokens
    for (std::int32_t r = first[s]; r < first[s] + rows[s]; ++r) {
      for (std::int32_t i = 0; i < position[r]; ++i) held += free.take(index_of(r)[i]) ? 1 : 0;
    }
    extend.held.data<std::int32_t>()[s] = held;
  }
  for (std::size_t s = 0; s < sentences; ++s) {
    for (std::int32_t r = first[s]; r < first[s] + rows[s]; ++r) index_of(r)[position[r]] = free.next();
  }
}

}  // namespace nmt
