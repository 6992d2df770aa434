// BLEU (Papineni et al., 2002) as sacrebleu computes it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"
#include "metrics/tokenizer.h"
#include "metrics/words.h"

namespace nmt {

class Bleu final : public Metric {
 public:
  /// Throws UsageError for an unknown tokenizer or smoothing method, and for a value for a method that takes
  /// none.
  explicit Bleu(const MetricSettings& settings = {});

  /// Returns the number of tokens of the hypothesis and that of the reference nearest in length (the shorter
  /// of two). For n = 1..4, the numbers of correct n-grams and of n-grams of the hypothesis follow. An n-gram
  /// is correct as often as it occurs in one reference.
  Statistics segment(std::string_view hypothesis,
                     std::span<const std::string_view> references) const override;

  /// Returns 100 x brevity penalty x geometric mean of the precisions; for a single sentence, only of the
  /// orders that have n-grams. Without a correct word the score is 0. For orders without a correct n-gram,
  /// smoothing "exp" counts 2^-k correct n-grams for the k-th such order, "floor" counts the value, and
  /// "none" counts 0. Smoothing "add-k" adds the value to the correct n-grams and to all n-grams of each
  /// order above 1.
  Score score(const Statistics& sum) const override;
  double value(const Statistics& sum) const override;
  /// Scores all pairs of texts; counts the n-grams of each text once.
  std::vector<double> pairwise(std::span<const std::string_view> texts) const override;
  std::variant<float, double> resampled(std::span<const float> sum) const override;

 private:
  /// Returns the tokens of a text as their numbers in `numbers`. `numbers` refers to `texts`, where the text
  /// is stored and which must have capacity for it.
  Symbols tokens_of(std::string_view line, std::vector<std::string>& texts, WordNumbers& numbers) const;
  template <class Number>
  struct Parts;
  template <class Number>
  Parts<Number> parts(std::span<const Number> sum) const;

  std::string tokenizer_name_;
  Tokenizer tokenize_;
  std::string smoothing_;
  double smoothing_value_ = 0;
  bool lowercase_, sentence_;
};

/// Returns the names of the smoothing methods.
std::vector<std::string> smoothing_names();

}  // namespace nmt
