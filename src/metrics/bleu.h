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
  /// Throws UsageError for a tokenizer or a smoothing that there is not, and for a value of one that takes
  /// none.
  explicit Bleu(const MetricSettings& settings = {});

  /// Tokens of the hypothesis, tokens of the reference nearest in length (of two, the shorter), correct
  /// n-grams for n = 1..4, n-grams of the hypothesis for n = 1..4. An n-gram is correct as often as it occurs
  /// in one reference.
  Statistics segment(std::string_view hypothesis,
                     std::span<const std::string_view> references) const override;

  /// 100 x brevity penalty x geometric mean of the precisions, of those orders only that have n-grams when
  /// the segment is a sentence. Without a correct word the score is 0. An order without a correct n-gram
  /// counts by smoothing "exp" 2^-k correct ones, if it is the k-th such order, by "floor" the value, by
  /// "none" none; "add-k" adds the value to the correct n-grams and to all of each order above 1.
  Score score(const Statistics& sum) const override;
  double value(const Statistics& sum) const override;
  /// N-grams of each text are counted once.
  std::vector<double> pairwise(std::span<const std::string_view> texts) const override;
  std::variant<float, double> resampled(std::span<const float> sum) const override;

 private:
  /// The tokens of a text, as the numbers that they have in `numbers`, which refers to `texts`, where the
  /// text is kept, and which has room for it.
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

/// The names of the ways to smooth.
std::vector<std::string> smoothing_names();

}  // namespace nmt
