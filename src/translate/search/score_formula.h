// Scores: what sums of log-probabilities come to, given the lengths of translations.
#pragma once

#include <cstdint>

#include "common/text/named.h"

namespace nmt {

/// How the length of a translation counts.
enum class LengthNormalization {
  wu,     // ((5 + length) / 6)^alpha (Wu et al., 2016, equation 14)
  power,  // length^alpha, as Marian, Hugging Face and CTranslate2 have it
  eole    // (1 + length)^alpha: the start of the sentence counts, too
};

template <>
struct Names<LengthNormalization> {
  static constexpr std::array<Named<LengthNormalization>, 3> kAll = {{{LengthNormalization::wu, "wu"},
                                                                      {LengthNormalization::power, "power"},
                                                                      {LengthNormalization::eole, "eole"}}};
};

/// The score of a translation is (sum - word_penalty * length) / penalty(length), where EOS counts as one of
/// its tokens.
struct ScoreFormula {
  double length_penalty = 0;  // alpha; 0: the penalty is 1
  LengthNormalization length_normalization = LengthNormalization::wu;
  double word_penalty = 0;

  /// What sums are divided by.
  double penalty(std::int64_t length) const;
  /// The score of a sum of log-probabilities.
  double operator()(double total, std::int64_t length) const;
  /// The best score that a sum of at most `total`, which is not above 0, has at any length from `shortest` to
  /// `longest`.
  double bound(double total, std::int64_t shortest, std::int64_t longest) const;
};

}  // namespace nmt
