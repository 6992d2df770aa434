// Scores of translations, from their log-probabilities and lengths.
#pragma once

#include <cstdint>

#include "common/text/named.h"

namespace nmt {

/// Form of the length penalty.
enum class LengthNormalization {
  wu,     // ((5 + length) / 6)^alpha (Wu et al., 2016, equation 14)
  power,  // length^alpha, as in Marian, Hugging Face transformers and CTranslate2
  eole    // (1 + length)^alpha: the start token counts as well
};

template <>
struct Names<LengthNormalization> {
  static constexpr std::array<Named<LengthNormalization>, 3> kAll = {{{LengthNormalization::wu, "wu"},
                                                                      {LengthNormalization::power, "power"},
                                                                      {LengthNormalization::eole, "eole"}}};
};

/// Computes the score of a translation: (sum - word_penalty * length) / penalty(length). EOS counts in the
/// length.
struct ScoreFormula {
  double length_penalty = 0;  // alpha; 0: the penalty is 1
  LengthNormalization length_normalization = LengthNormalization::wu;
  double word_penalty = 0;

  /// The divisor of sums of log-probabilities.
  double penalty(std::int64_t length) const;
  /// Returns the score of a sum of log-probabilities.
  double operator()(double total, std::int64_t length) const;
  /// Returns the best score that a sum of at most `total` (not above 0) can have at any length from
  /// `shortest` to `longest`.
  double bound(double total, std::int64_t shortest, std::int64_t longest) const;
};

}  // namespace nmt
