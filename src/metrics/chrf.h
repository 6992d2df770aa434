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
  /// Besides n-grams of 1..6 characters, which white space is none of, those of 1..`word_orders` words count:
  /// none in chrF, 2 in chrF++.
  Chrf(std::size_t word_orders, const MetricSettings& settings);

  /// Of each order, the n-grams of the hypothesis (0 where the reference has none), those of the reference,
  /// and those that both have: of the reference that gives the best F-score, the first of equals.
  Statistics segment(std::string_view hypothesis,
                     std::span<const std::string_view> references) const override;

  /// 100 x (1 + b^2) P R / (b^2 P + R) with b = 2, where P and R are the means of precision and recall over
  /// the orders of which both texts have n-grams; 0 without such an order or without a match.
  Score score(const Statistics& sum) const override;
  double value(const Statistics& sum) const override;
  /// N-grams of each text are counted once.
  std::vector<double> pairwise(std::span<const std::string_view> texts) const override;
  std::variant<float, double> resampled(std::span<const float> sum) const override;

 private:
  /// What n-grams are made of.
  struct SegmentSymbols {
    Symbols characters, words;
  };
  /// Those of a text; words have the numbers that they have in `numbers`, which refers to `texts`, where the
  /// text is kept, and which has room for it.
  SegmentSymbols symbols_of(std::string_view line, std::vector<std::string>& texts,
                            WordNumbers& numbers) const;

  std::size_t word_orders_;
  bool lowercase_;
};

}  // namespace nmt
