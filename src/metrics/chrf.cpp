#include "metrics/chrf.h"

#include <string>
#include <utility>

#include "metrics/ngrams.h"
#include "metrics/unicode.h"
#include "metrics/words.h"

namespace nmt {
namespace {

constexpr std::size_t kCharacterOrders = 6;
constexpr int kBetaSquared = 4;

bool is_mark(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// One ASCII mark at an edge of a word is a word of its own: the last character rather than the first.
std::vector<std::string_view> without_edge_marks(const std::vector<std::string_view>& words) {
  std::vector<std::string_view> parts;
  for (const std::string_view word : words) {
    const std::size_t last = word.size() - 1;
    if (last > 0 && is_mark(word[last])) {
      parts.insert(parts.end(), {word.substr(0, last), word.substr(last)});
    } else if (last > 0 && is_mark(word[0])) {
      parts.insert(parts.end(), {word.substr(0, 1), word.substr(1)});
    } else {
      parts.push_back(word);
    }
  }
  return parts;
}

Symbols characters_of(const std::vector<std::string_view>& words) {
  Symbols characters;
  for (const std::string_view word : words) {
    for (const char32_t character : code_points(word)) characters.push_back(character);
  }
  return characters;
}

void append_counts(const Symbols& hypothesis, const Symbols& reference, std::size_t orders,
                   Statistics& counts) {
  const std::vector<double> matches = ngram_matches(hypothesis, std::span(&reference, 1), orders);
  for (std::size_t n = 1; n <= orders; ++n) {
    const std::size_t expected = ngrams_in(reference.size(), n);
    counts.push_back(expected > 0 ? static_cast<double>(ngrams_in(hypothesis.size(), n)) : 0);
    counts.push_back(static_cast<double>(expected));
    counts.push_back(matches[n - 1]);
  }
}

/// The expressions keep the order of sacrebleu's, so that every bit agrees.
template <class Number>
Number f_score(std::span<const Number> counts) {
  Number precision = 0, recall = 0;
  int orders = 0;
  for (std::size_t i = 0; i < counts.size(); i += 3) {
    const Number hypothesis = counts[i], reference = counts[i + 1], matches = counts[i + 2];
    if (hypothesis == 0 || reference == 0) continue;
    precision += matches / hypothesis;
    recall += matches / reference;
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= static_cast<Number>(orders);
  recall /= static_cast<Number>(orders);
  const Number product = (1 + kBetaSquared) * precision * recall;
  return 100 * (product / (kBetaSquared * precision + recall));
}

}  // namespace

Chrf::Chrf(std::size_t word_orders, const MetricSettings& settings)
    : word_orders_(word_orders), lowercase_(settings.lowercase) {}

Statistics Chrf::segment(std::string_view hypothesis, std::span<const std::string_view> references) const {
  const auto prepared = [this](std::string_view line) {
    return lowercase_ ? to_lower(line) : std::string(line);
  };
  std::vector<std::string> texts;
  texts.reserve(1 + references.size());  // numbers of words refer to it
  WordNumbers numbers;
  const auto symbols_of = [&](std::string_view line) {
    texts.push_back(prepared(line));
    const std::vector<std::string_view> words = words_of(texts.back());
    return std::pair(characters_of(words), word_orders_ > 0 ? numbers(without_edge_marks(words)) : Symbols{});
  };
  const auto [characters, words] = symbols_of(hypothesis);
  Statistics best;
  double best_score = -1;
  for (const std::string_view reference : references) {
    const auto [other_characters, other_words] = symbols_of(reference);
    Statistics counts;
    append_counts(characters, other_characters, kCharacterOrders, counts);
    append_counts(words, other_words, word_orders_, counts);
    const double score = f_score<double>(counts);
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(counts);
  }
  return best;
}

Score Chrf::score(const Statistics& sum) const {
  return {.name = "chrF2" + std::string(word_orders_, '+'),
          .value = f_score<double>(sum),
          .signature = {{"case", lowercase_ ? "lc" : "mixed"},
                        {"eff", "yes"},
                        {"nc", std::to_string(kCharacterOrders)},
                        {"nw", std::to_string(word_orders_)},
                        {"space", "no"}},
          .details = ""};
}

/// A constant 0 is a double in Python.
std::variant<float, double> Chrf::resampled(std::span<const float> sum) const {
  const float score = f_score(sum);
  if (score == 0) return 0.0;
  return score;
}

}  // namespace nmt
