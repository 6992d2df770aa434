#include "metrics/ter.h"

#include <algorithm>
#include <limits>
#include <string>

#include "metrics/shifts.h"
#include "metrics/unicode.h"
#include "metrics/words.h"

namespace nmt {
namespace {

template <class Number>
Number rate(std::span<const Number> counts) {
  const Number edits = counts[0], length = counts[1];
  if (length > 0) return 100 * (edits / length);
  return edits > 0 ? 100 : 0;
}

}  // namespace

Statistics Ter::segment(std::string_view hypothesis, std::span<const std::string_view> references) const {
  std::vector<std::string> texts;
  texts.reserve(1 + references.size());  // word numbers refer to it
  WordNumbers numbers;
  const auto words = [&](std::string_view line) {
    texts.push_back(to_lower(line));
    return numbers(words_of(texts.back()));
  };
  const Symbols hypothesis_words = words(hypothesis);
  std::size_t edits = std::numeric_limits<std::size_t>::max(), length = 0;
  for (const std::string_view reference : references) {
    const Symbols reference_words = words(reference);
    edits = std::min(edits, count_edits(hypothesis_words, reference_words));
    length += reference_words.size();
  }
  return {static_cast<double>(edits), static_cast<double>(length) / static_cast<double>(references.size())};
}

Score Ter::score(const Statistics& sum) const {
  return {.name = "TER",
          .value = rate<double>(sum),
          .signature = {{"case", "lc"}, {"tok", "tercom"}, {"norm", "no"}, {"punct", "yes"}, {"asian", "no"}},
          .details = ""};
}

/// A constant is a double in Python.
std::variant<float, double> Ter::resampled(std::span<const float> sum) const {
  const float rate_of_sum = rate(sum);
  if (sum[1] == 0) return static_cast<double>(rate_of_sum);
  return rate_of_sum;
}

}  // namespace nmt
