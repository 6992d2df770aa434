#include "translate/search/score_formula.h"

#include <algorithm>
#include <cmath>

namespace nmt {

double ScoreFormula::penalty(std::int64_t length) const {
  const auto tokens = static_cast<double>(length);
  const bool is_power = length_normalization == LengthNormalization::power;
  return std::pow(is_power ? tokens : (5.0 + tokens) / 6.0, length_penalty);
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
