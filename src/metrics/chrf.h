// chrF (Popovic, 2015) and chrF++ (Popovic, 2017) as sacrebleu computes them: an F-score of n-grams.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/words.h"

namespace nmt {

class Chrf final : public Metric {
 public:
  /// Counts n-grams of 1..6 characters, without white space, and n-grams of 1..`word_orders` words: 0 for
  /// chrF, 2 for chrF++.
  Chrf(std::size_t word_orders, const MetricSettings& settings);

  /// Returns for each order the n-grams of the hypothesis (0 if the reference has none), of the reference,
  /// and of both, for the reference with the best F-score (the first of equal ones).
  Statistics segment(std::string_view hypothesis,
                     std::span<const std::string_view> references) const override;

  /// Returns 100 x (1 + b^2) P R / (b^2 P + R) with b = 2. P and R are the means of precision and recall over
  /// the orders with n-grams in both texts. Returns 0 if there is no such order or no match.
  Score score(const Statistics& sum) const override;
  double value(const Statistics& sum) const override;
  /// Scores all pairs of texts; counts the n-grams of each text once.
  std::vector<double> pairwise(std::span<const std::string_view> texts) const override;
  std::variant<float, double> resampled(std::span<const float> sum) const override;

 private:
  /// The symbols that n-grams consist of.
  struct SegmentSymbols {
    Symbols characters, words;
  };
  /// Returns the symbols of a text; words are numbered by `numbers`, which refers to `texts`, where the text
  /// is stored and which must have capacity for it.
  SegmentSymbols symbols_of(std::string_view line, std::vector<std::string>& texts,
                            WordNumbers& numbers) const;

  std::size_t word_orders_;
  bool lowercase_;
};

}  // namespace nmt
