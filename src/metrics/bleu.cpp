#include "metrics/bleu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "metrics/tokenizer_13a.h"
#include "metrics/white_space.h"

namespace nmt::metrics {
namespace {

constexpr std::size_t kOrders = 4;
using Precisions = std::array<double, kOrders>;

// A segment's tokens with one blank between them: an n-gram is a piece of the text, from the start of a token
// to the end of another.
class Segment {
 public:
  explicit Segment(std::string_view line) : text_(tokenize_13a(strip_end(line))) {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find(' ', begin), text_.size());
      begins_.push_back(begin);
      ends_.push_back(end);
      begin = end + 1;
    }
  }

  std::size_t length() const { return begins_.size(); }

  std::vector<std::string_view> sorted_ngrams(std::size_t order) const {
    std::vector<std::string_view> ngrams;
    const std::string_view text = text_;
    for (std::size_t last = order - 1; last < length(); ++last) {
      const std::size_t begin = begins_[last + 1 - order];
      ngrams.push_back(text.substr(begin, ends_[last] - begin));
    }
    std::sort(ngrams.begin(), ngrams.end());
    return ngrams;
  }

 private:
  std::string text_;
  std::vector<std::size_t> begins_, ends_;
};

std::size_t nearest_length(std::size_t length, const std::vector<Segment>& references) {
  const auto rank = [length](const Segment& reference) {
    const std::size_t other = reference.length();
    return std::pair(std::max(length, other) - std::min(length, other), other);
  };
  return std::ranges::min_element(references, {}, rank)->length();
}

// All lists are sorted. An n-gram counts as often as the reference that has it most often allows.
std::ptrdiff_t count_matches(const std::vector<std::string_view>& hypothesis,
                             const std::vector<std::vector<std::string_view>>& references) {
  std::ptrdiff_t matches = 0;
  for (auto run = hypothesis.begin(); run != hypothesis.end();) {
    const auto end = std::upper_bound(run, hypothesis.end(), *run);
    std::ptrdiff_t allowed = 0;
    for (const auto& reference : references) {
      const auto [first, last] = std::equal_range(reference.begin(), reference.end(), *run);
      allowed = std::max(allowed, last - first);
    }
    matches += std::min(end - run, allowed);
    run = end;
  }
  return matches;
}

double brevity_penalty(double length, double reference_length) {
  if (length >= reference_length) return 1;
  return length > 0 ? std::exp(1 - reference_length / length) : 0;
}

// In percent, smoothed: an order without a correct n-gram counts half as many as such an order before it, the
// first half a one. The expressions keep the order of sacrebleu's, so that every bit agrees.
Precisions smoothed_precisions(const double* correct, const double* total) {
  Precisions precisions{};
  double smoothing = 1;
  for (std::size_t n = 0; n < kOrders && total[n] > 0; ++n) {
    if (correct[n] > 0) {
      precisions[n] = 100 * correct[n] / total[n];
    } else {
      smoothing *= 2;
      precisions[n] = 100 / (smoothing * total[n]);
    }
  }
  return precisions;
}

double geometric_mean(const Precisions& precisions) {
  constexpr double kLogOfZero = -9999999999;
  double sum = 0;
  for (const double precision : precisions) sum += precision == 0 ? kLogOfZero : std::log(precision);
  return std::exp(sum / kOrders);
}

}  // namespace

Statistics Bleu::segment(std::string_view hypothesis, std::span<const std::string_view> references) const {
  const Segment segment(hypothesis);
  const std::vector<Segment> others(references.begin(), references.end());
  Statistics counts(2 + 2 * kOrders);
  counts[0] = static_cast<double>(segment.length());
  counts[1] = static_cast<double>(nearest_length(segment.length(), others));
  std::vector<std::vector<std::string_view>> allowed(others.size());
  for (std::size_t n = 1; n <= kOrders; ++n) {
    const auto ngrams = segment.sorted_ngrams(n);
    std::ranges::transform(others, allowed.begin(),
                           [n](const Segment& other) { return other.sorted_ngrams(n); });
    counts[1 + n] = static_cast<double>(count_matches(ngrams, allowed));
    counts[1 + kOrders + n] = static_cast<double>(ngrams.size());
  }
  return counts;
}

Score Bleu::score(const Statistics& sum) const {
  const double length = sum[0], reference_length = sum[1];
  const double *correct = &sum[2], *total = &sum[2 + kOrders];
  const double penalty = brevity_penalty(length, reference_length);
  // A correct n-gram holds correct words.
  const Precisions precisions = correct[0] > 0 ? smoothed_precisions(correct, total) : Precisions{};
  const double value = correct[0] > 0 ? penalty * geometric_mean(precisions) : 0;
  const double ratio = reference_length > 0 ? length / reference_length : 0;
  return {.name = "BLEU",
          .value = value,
          .signature = {{"case", "mixed"}, {"eff", "no"}, {"tok", "13a"}, {"smooth", "exp"}},
          .details = fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})",
                                 fmt::join(precisions, "/"), penalty, ratio, length, reference_length)};
}

double corpus_bleu(const std::vector<std::string>& hypotheses,
                   const std::vector<std::vector<std::string>>& references) {
  return corpus_score(Bleu(), hypotheses, references).value;
}

}  // namespace nmt::metrics
