#include "metrics/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "metrics/random_generator.h"

namespace nmt {
namespace {

/// Sums in the order of numpy: the halves separately, down to blocks in which every eighth number is added
/// together.
template <class Number>
Number pairwise_sum(std::span<const Number> numbers) {
  constexpr std::size_t kLanes = 8, kBlock = 128;
  const std::size_t size = numbers.size();
  if (size < kLanes) return std::accumulate(numbers.begin(), numbers.end(), Number{-0.0});
  if (size > kBlock) {
    const std::size_t half = size / 2 - size / 2 % kLanes;
    return pairwise_sum(numbers.first(half)) + pairwise_sum(numbers.subspan(half));
  }
  Number lanes[kLanes];
  std::copy_n(numbers.begin(), kLanes, lanes);
  std::size_t at = kLanes;
  for (; at + kLanes <= size; at += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] += numbers[at + i];
  }
  Number sum =
      ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  for (; at < size; ++at) sum += numbers[at];
  return sum;
}

template <class Number>
Number mean(const std::vector<Number>& numbers) {
  return pairwise_sum(std::span(numbers)) / static_cast<Number>(numbers.size());
}

/// Returns half the width of the interval without the first and the last fortieth.
template <class Number>
Number half_interval(const std::vector<Number>& sorted) {
  const std::size_t left_out = sorted.size() / 40;
  return Number{0.5} * (sorted[sorted.size() - left_out - 1] - sorted[left_out]);
}

/// Scores of resampled corpora: numpy makes an array of doubles if one of them is a double.
struct Values {
  std::vector<double> numbers;
  bool are_single = true;

  template <class Number>
  std::vector<Number> as() const {
    return {numbers.begin(), numbers.end()};
  }
};

/// Calls `compute` with a number of the precision of an array.
template <class Compute>
auto in_precision(bool single, Compute compute) {
  return single ? compute(float{}) : compute(double{});
}

template <class Number>
std::vector<Number> sorted(const Values& values) {
  std::vector<Number> numbers = values.as<Number>();
  std::ranges::sort(numbers);
  return numbers;
}

Confidence numpy_confidence(const Values& values) {
  return in_precision(values.are_single, [&]<class Number>(Number) -> Confidence {
    const auto numbers = sorted<Number>(values);
    return {mean(numbers), half_interval(numbers)};
  });
}

/// Uses the mean of Python's own statistics, which is rounded once.
Confidence exact_confidence(const Values& values) {
  return in_precision(values.are_single, [&]<class Number>(Number) -> Confidence {
    const auto numbers = sorted<Number>(values);
    const long double sum = std::accumulate(numbers.begin(), numbers.end(), 0.0L);
    const auto exact = static_cast<double>(sum / static_cast<long double>(numbers.size()));
    return {static_cast<Number>(exact), half_interval(numbers)};
  });
}

std::vector<float> sum_of_drawn(const SegmentCounts& counts, RandomGenerator& random) {
  std::vector<float> sum(counts.width());
  const auto segments = static_cast<std::uint32_t>(counts.segments());
  for (std::uint32_t drawn = 0; drawn < segments; ++drawn) {
    const double* numbers = counts.segment(random.below(segments));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<float>(numbers[i]);
  }
  return sum;
}

Values resample(const CorpusMetric& metric, const SegmentCounts& counts, std::size_t samples,
                RandomGenerator& random) {
  Values values;
  for (std::size_t i = 0; i < samples; ++i) {
    const std::variant<float, double> value = metric.resampled(sum_of_drawn(counts, random));
    values.are_single &= std::holds_alternative<float>(value);
    values.numbers.push_back(std::visit([](auto number) { return static_cast<double>(number); }, value));
  }
  return values;
}

Values resample(const CorpusMetric& metric, const SegmentCounts& counts, const Trials& trials) {
  RandomGenerator random(trials.seed);
  return resample(metric, counts, trials.count, random);
}

double difference(const CorpusMetric& metric, const Statistics& a, const Statistics& b) {
  return std::abs(metric.score(a).value - metric.score(b).value);
}

/// Adds one on both sides, so that no probability is 0.
double p_value(std::size_t as_large, std::size_t trials) {
  return static_cast<double>(as_large + 1) / static_cast<double>(trials + 1);
}

/// Counts how often the difference of resampled systems exceeds its mean by more than `observed`.
template <class Number>
std::size_t count_above(const std::vector<Number>& a, const std::vector<Number>& b, Number observed) {
  std::vector<Number> differences(a.size());
  std::ranges::transform(a, b, differences.begin(), [](Number x, Number y) { return std::abs(x - y); });
  const Number center = mean(differences);
  return static_cast<std::size_t>(
      std::ranges::count_if(differences, [=](Number difference) { return difference - center > observed; }));
}

/// Whether the systems differ by more than `observed` after randomly swapping translations.
bool exceeds(const CorpusMetric& metric, const SegmentCounts& baseline, const SegmentCounts& system,
             RandomBits& bits, double observed) {
  Statistics a(system.width()), b(system.width());
  for (std::size_t s = 0; s < system.segments(); ++s) {
    const bool stays = bits.next();
    const double* first = stays ? baseline.segment(s) : system.segment(s);
    const double* second = stays ? system.segment(s) : baseline.segment(s);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] += first[i];
      b[i] += second[i];
    }
  }
  return difference(metric, a, b) > observed;
}

}  // namespace

Statistics SegmentCounts::sum() const {
  Statistics sum(width_);
  for (std::size_t s = 0; s < segments(); ++s) {
    for (std::size_t i = 0; i < width_; ++i) sum[i] += segment(s)[i];
  }
  return sum;
}

Confidence bootstrap(const CorpusMetric& metric, const SegmentCounts& counts, const Trials& trials) {
  return exact_confidence(resample(metric, counts, trials));
}

Confidence baseline_confidence(const CorpusMetric& metric, const SegmentCounts& counts,
                               const Trials& trials) {
  return numpy_confidence(resample(metric, counts, trials));
}

Comparison paired_bootstrap(const CorpusMetric& metric, const SegmentCounts& baseline,
                            const SegmentCounts& system, const Trials& trials) {
  const Values base = resample(metric, baseline, trials), own = resample(metric, system, trials);
  const double observed = difference(metric, baseline.sum(), system.sum());
  const std::size_t above = in_precision(base.are_single && own.are_single, [&]<class Number>(Number) {
    return count_above(own.as<Number>(), base.as<Number>(), static_cast<Number>(observed));
  });
  return {p_value(above, trials.count), numpy_confidence(own)};
}

Comparison paired_randomization(const CorpusMetric& metric, const SegmentCounts& baseline,
                                const SegmentCounts& system, const Trials& trials, std::size_t resamples) {
  RandomGenerator random(trials.seed);
  RandomBits bits(random);
  const double observed = difference(metric, baseline.sum(), system.sum());
  std::size_t above = 0;
  for (std::size_t trial = 0; trial < trials.count; ++trial) {
    if (exceeds(metric, baseline, system, bits, observed)) ++above;
  }
  Comparison comparison{p_value(above, trials.count), {}};
  if (resamples > 0) comparison.confidence = numpy_confidence(resample(metric, system, resamples, random));
  return comparison;
}

void complete_signature(Score& score, std::size_t references, const Draws& draws) {
  std::vector<std::pair<std::string, std::string>> before = {{"nrefs", std::to_string(references)}};
  if (draws.resamples > 0) before.emplace_back("bs", std::to_string(draws.resamples));
  if (draws.randomizations > 0) before.emplace_back("ar", std::to_string(draws.randomizations));
  if (before.size() > 1) before.emplace_back("seed", std::to_string(draws.seed));
  score.signature.insert(score.signature.begin(), before.begin(), before.end());
  score.signature.emplace_back("version", "nmt-" NMT_VERSION);
}

}  // namespace nmt
