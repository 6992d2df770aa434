#include "metrics/bleu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "common/error.h"
#include "metrics/ngrams.h"
#include "metrics/unicode.h"
#include "metrics/words.h"

namespace nmt {
namespace {

constexpr std::size_t kOrders = 4;

struct Smoothing {
  const char* name;
  std::optional<double> value;  // the default; none: it takes no value
};

// The values of Chen and Cherry (2014).
const Smoothing kSmoothings[] = {{"exp", {}}, {"floor", 0.1}, {"add-k", 1}, {"none", {}}};

const Smoothing& find_smoothing(std::string_view name) {
  const auto* const found = std::ranges::find(kSmoothings, name, &Smoothing::name);
  if (found == std::end(kSmoothings)) {
    throw UsageError("unknown smoothing '{}'; choose from {}", name, fmt::join(smoothing_names(), ", "));
  }
  return *found;
}

std::size_t nearest_length(std::size_t length, const std::vector<Symbols>& references) {
  const auto rank = [length](const Symbols& reference) {
    const std::size_t other = reference.size();
    return std::pair(std::max(length, other) - std::min(length, other), other);
  };
  return std::ranges::min_element(references, {}, rank)->size();
}

/// Returns the counts of texts with these numbers of tokens and of correct n-grams per order.
Statistics counts_of(std::size_t length, std::size_t reference_length, const std::vector<double>& matches) {
  Statistics counts = {static_cast<double>(length), static_cast<double>(reference_length)};
  counts.insert(counts.end(), matches.begin(), matches.end());
  for (std::size_t n = 1; n <= kOrders; ++n) counts.push_back(static_cast<double>(ngrams_in(length, n)));
  return counts;
}

double brevity_penalty(double length, double reference_length) {
  if (length >= reference_length) return 1;
  return length > 0 ? std::exp(1 - reference_length / length) : 0;
}

template <class Number>
double geometric_mean(const std::array<Number, kOrders>& precisions, std::size_t orders) {
  constexpr double kLogOfZero = -9999999999;
  double sum = 0;
  for (std::size_t n = 0; n < orders; ++n) {
    sum += precisions[n] == 0 ? kLogOfZero : std::log(static_cast<double>(precisions[n]));
  }
  return std::exp(sum / static_cast<double>(orders));
}

}  // namespace

template <class Number>
struct Bleu::Parts {
  double value = 0, penalty = 0;
  std::array<Number, kOrders> precisions{};  // in percent, smoothed
};

std::vector<std::string> smoothing_names() {
  std::vector<std::string> names;
  for (const Smoothing& smoothing : kSmoothings) names.emplace_back(smoothing.name);
  return names;
}

Bleu::Bleu(const MetricSettings& settings)
    : tokenizer_name_(settings.tokenizer),
      tokenize_(find_tokenizer(settings.tokenizer)),
      smoothing_(settings.smoothing),
      lowercase_(settings.lowercase),
      sentence_(settings.sentence) {
  const std::optional<double> value = find_smoothing(smoothing_).value;
  if (settings.smoothing_value && !value) {
    throw UsageError("smoothing '{}' takes no value; leave it out, or use floor or add-k", smoothing_);
  }
  smoothing_value_ = settings.smoothing_value.value_or(value.value_or(0));
}

Symbols Bleu::tokens_of(std::string_view line, std::vector<std::string>& texts, WordNumbers& numbers) const {
  texts.push_back(lowercase_ ? tokenize_(strip_end(to_lower(line))) : tokenize_(strip_end(line)));
  return numbers(words_of(texts.back()));
}

Statistics Bleu::segment(std::string_view hypothesis, std::span<const std::string_view> references) const {
  std::vector<std::string> texts;
  texts.reserve(1 + references.size());  // word numbers refer to it
  WordNumbers numbers;
  const Symbols tokens = tokens_of(hypothesis, texts, numbers);
  std::vector<Symbols> others;
  for (const std::string_view reference : references) others.push_back(tokens_of(reference, texts, numbers));
  return counts_of(tokens.size(), nearest_length(tokens.size(), others),
                   ngram_matches(tokens, others, kOrders));
}

std::vector<double> Bleu::pairwise(std::span<const std::string_view> lines) const {
  std::vector<std::string> texts;
  texts.reserve(lines.size());  // word numbers refer to it
  WordNumbers numbers;
  std::vector<Symbols> tokens;
  for (const std::string_view line : lines) tokens.push_back(tokens_of(line, texts, numbers));
  const SharedNgrams ngrams(tokens, kOrders);
  const std::size_t count = lines.size();
  std::vector<double> values(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a; b < count; ++b) {
      const std::vector<double> matches = ngrams.matches(a, b);
      values[a * count + b] = value(counts_of(tokens[a].size(), tokens[b].size(), matches));
      values[b * count + a] = value(counts_of(tokens[b].size(), tokens[a].size(), matches));
    }
  }
  return values;
}

/// The order of operations is that of sacrebleu, so that every bit agrees.
template <class Number>
Bleu::Parts<Number> Bleu::parts(std::span<const Number> sum) const {
  Parts<Number> parts{.penalty = brevity_penalty(sum[0], sum[1])};
  if (sum[2] == 0) return parts;  // a correct n-gram contains correct words
  const bool adds = smoothing_ == "add-k";
  Number halvings = 1;
  std::size_t orders = kOrders;
  for (std::size_t n = 0; n < kOrders; ++n) {
    const Number added = adds && n > 0 ? static_cast<Number>(smoothing_value_) : 0;
    const Number correct = sum[2 + n] + added, total = sum[2 + kOrders + n] + added;
    if (total == 0) break;
    if (sentence_) orders = n + 1;
    if (correct > 0) {
      parts.precisions[n] = 100 * correct / total;
    } else if (smoothing_ == "exp") {
      halvings *= 2;
      parts.precisions[n] = 100 / (halvings * total);
    } else if (smoothing_ == "floor") {
      parts.precisions[n] = static_cast<Number>(100 * smoothing_value_) / total;
    }
  }
  parts.value = parts.penalty * geometric_mean(parts.precisions, orders);
  return parts;
}

Score Bleu::score(const Statistics& sum) const {
  const Parts<double> parts = this->parts(std::span(sum));
  const double length = sum[0], reference_length = sum[1];
  const double ratio = reference_length > 0 ? length / reference_length : 0;
  const bool has_value = find_smoothing(smoothing_).value.has_value();
  return {.name = "BLEU",
          .value = parts.value,
          .signature = {{"case", lowercase_ ? "lc" : "mixed"},
                        {"eff", sentence_ ? "yes" : "no"},
                        {"tok", tokenizer_name_},
                        {"smooth",
                         has_value ? fmt::format("{}[{:.2f}]", smoothing_, smoothing_value_) : smoothing_}},
          .details =
              fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {:.0f} ref_len = {:.0f})",
                          fmt::join(parts.precisions, "/"), parts.penalty, ratio, length, reference_length)};
}

double Bleu::value(const Statistics& sum) const {
  return parts(std::span(sum)).value;
}

std::variant<float, double> Bleu::resampled(std::span<const float> sum) const {
  return parts(sum).value;
}

}  // namespace nmt
