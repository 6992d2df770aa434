// BLEU (Papineni et al., 2002) as sacrebleu computes it by default: tokenizer 13a, cased, exponential
// smoothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/metric.h"

namespace nmt::metrics {

class Bleu final : public Metric {
 public:
  /// Tokens of the hypothesis, tokens of the reference nearest in length (of two, the shorter), correct
  /// n-grams for n = 1..4, n-grams of the hypothesis for n = 1..4. An n-gram is correct as often as it occurs
  /// in one reference.
  Statistics segment(std::string_view hypothesis,
                     std::span<const std::string_view> references) const override;

  /// 100 x brevity penalty x geometric mean of the four precisions. The k-th order without a correct n-gram
  /// counts 2^-k correct ones; without a correct word the score is 0.
  Score score(const Statistics& sum) const override;
};

/// BLEU in percent of a corpus. Arguments and errors are those of corpus_score.
double corpus_bleu(const std::vector<std::string>& hypotheses,
                   const std::vector<std::vector<std::string>>& references);

}  // namespace nmt::metrics
