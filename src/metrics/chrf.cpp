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

/// Separates one ASCII mark at an edge of each word as a word of its own: the last character rather than the
/// first.
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

/// Appends the counts of texts with these numbers of symbols and of shared n-grams per order.
void append_counts(std::size_t hypothesis, std::size_t reference, const std::vector<double>& matches,
                   Statistics& counts) {
  for (std::size_t n = 1; n <= matches.size(); ++n) {
    const std::size_t expected = ngrams_in(reference, n);
    counts.push_back(expected > 0 ? static_cast<double>(ngrams_in(hypothesis, n)) : 0);
    counts.push_back(static_cast<double>(expected));
    counts.push_back(matches[n - 1]);
  }
}

/// The order of operations is that of sacrebleu, so that every bit agrees.
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

Chrf::SegmentSymbols Chrf::symbols_of(std::string_view line, std::vector<std::string>& texts,
                                      WordNumbers& numbers) const {
  texts.push_back(lowercase_ ? to_lower(line) : std::string(line));
  const std::vector<std::string_view> words = words_of(texts.back());
  return {characters_of(words), word_orders_ > 0 ? numbers(without_edge_marks(words)) : Symbols{}};
}

Statistics Chrf::segment(std::string_view hypothesis, std::span<const std::string_view> references) const {
  std::vector<std::string> texts;
  texts.reserve(1 + references.size());  // word numbers refer to it
  WordNumbers numbers;
  const SegmentSymbols own = symbols_of(hypothesis, texts, numbers);
  Statistics best;
  double best_score = -1;
  for (const std::string_view reference : references) {
    const SegmentSymbols other = symbols_of(reference, texts, numbers);
    const auto append = [&](const Symbols& symbols, const Symbols& others, std::size_t orders,
                            Statistics& counts) {
      append_counts(symbols.size(), others.size(), ngram_matches(symbols, std::span(&others, 1), orders),
                    counts);
    };
    Statistics counts;
    append(own.characters, other.characters, kCharacterOrders, counts);
    append(own.words, other.words, word_orders_, counts);
    const double score = f_score<double>(counts);
    if (score <= best_score) continue;
    best_score = score;
    best = std::move(counts);
  }
  return best;
}

std::vector<double> Chrf::pairwise(std::span<const std::string_view> lines) const {
  std::vector<std::string> texts;
  texts.reserve(lines.size());  // word numbers refer to it
  WordNumbers numbers;
  std::vector<Symbols> characters, words;
  for (const std::string_view line : lines) {
    SegmentSymbols symbols = symbols_of(line, texts, numbers);
    characters.push_back(std::move(symbols.characters));
    words.push_back(std::move(symbols.words));
  }
  const SharedNgrams of_characters(characters, kCharacterOrders), of_words(words, word_orders_);
  const std::size_t count = lines.size();
  std::vector<double> values(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a; b < count; ++b) {
      const std::vector<double> in_characters = of_characters.matches(a, b),
                                in_words = of_words.matches(a, b);
      const auto f_score_of = [&](std::size_t hypothesis, std::size_t reference) {
        Statistics counts;
        append_counts(characters[hypothesis].size(), characters[reference].size(), in_characters, counts);
        append_counts(words[hypothesis].size(), words[reference].size(), in_words, counts);
        return f_score<double>(counts);
      };
      values[a * count + b] = f_score_of(a, b);
      values[b * count + a] = f_score_of(b, a);
    }
  }
  return values;
}

double Chrf::value(const Statistics& sum) const {
  return f_score<double>(sum);
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
