#include "translate/search/score_formula.h"

#include <algorithm>
#include <cmath>

namespace nmt {
namespace {

/// Returns the base of the power in the length penalty.
double counted(LengthNormalization normalization, double tokens) {
  switch (normalization) {
    case LengthNormalization::power:
      return tokens;
    case LengthNormalization::eole:
      return 1 + tokens;
    case LengthNormalization::wu:
      break;
  }
  return (5 + tokens) / 6;
}

}  // namespace

double ScoreFormula::penalty(std::int64_t length) const {
  return std::pow(counted(length_normalization, static_cast<double>(length)), length_penalty);
}

double ScoreFormula::operator()(double total, std::int64_t length) const {
  return (total - word_penalty * static_cast<double>(length)) / penalty(length);
}

double ScoreFormula::bound(double total, std::int64_t shortest, std::int64_t longest) const {
  double best = (*this)(total, longest);
  if (word_penalty == 0) return best;  // the penalty grows with the length
  for (std::int64_t length = shortest; length < longest; ++length)
    best = std::max(best, (*this)(total, length));
  return best;
}

}  // namespace nmt
