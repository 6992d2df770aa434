#include "translate/quality/error_spans.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "common/text/utf8.h"

namespace nmt {
namespace {

/// Returns the text of tokens as their tokenizer decodes them, special tokens included.
std::string text_of(const Vocabulary& vocabulary, const std::vector<CometToken>& tokens, std::size_t first,
                    std::size_t last) {
  std::string text;
  for (std::size_t i = first; i <= last; ++i) text += vocabulary.piece(tokens[i].id);
  for (std::size_t at = text.find(kSpaceMark); at != text.npos; at = text.find(kSpaceMark, at))
    text.replace(at, kSpaceMark.size(), " ");
  return text.starts_with(' ') ? text.substr(1) : text;
}

class SpanFinder {
 public:
  SpanFinder(const CometText& text, std::string_view translation, const std::vector<CometToken>& tokens)
      : text_(text), translation_(translation), tokens_(tokens) {}

  /// Takes the next token: the most probable severity, empty for no error, and its probability.
  void take(const std::string& severity, double probability) {
    if (!severity.empty()) {
      if (confidences_.empty()) first_ = next_, severity_ = severity;
      confidences_.push_back(probability);
    } else if (!confidences_.empty()) {
      end_span();
    }
    ++next_;
  }

  std::vector<ErrorSpan> spans;

 private:
  void end_span() {
    const std::size_t last = next_ - 1;
    spans.push_back({.text = text_of(text_.vocabulary(), tokens_, first_, last),
                     .severity = severity_,
                     .confidence = std::accumulate(confidences_.begin(), confidences_.end(), 0.0) /
                                   static_cast<double>(confidences_.size()),
                     .begin = characters_in(translation_.substr(0, tokens_[first_].begin)),
                     .end = characters_in(translation_.substr(0, tokens_[last].end))});
    confidences_.clear();
  }

  const CometText& text_;
  std::string_view translation_;
  const std::vector<CometToken>& tokens_;
  std::size_t next_ = 0, first_ = 0;
  std::string severity_;
  std::vector<double> confidences_;  // of the tokens of an open span
};

}  // namespace

std::vector<double> tag_probabilities(std::span<const float> logits, std::size_t tags) {
  std::vector<double> probabilities;
  for (std::size_t begin = 0; begin < logits.size(); begin += tags) {
    const std::span<const float> row = logits.subspan(begin, tags);
    const double most = *std::ranges::max_element(row);
    double sum = 0;
    for (const float logit : row) sum += std::exp(logit - most);
    for (const float logit : row) probabilities.push_back(std::exp(logit - most) / sum);
  }
  return probabilities;
}

std::vector<ErrorSpan> error_spans(const CometText& text, std::string_view translation,
                                   const std::vector<CometToken>& tokens,
                                   std::span<const double> probabilities,
                                   const std::vector<std::string>& severities) {
  const std::size_t tags = severities.size() + 1;
  SpanFinder finder(text, translation, tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::span<const double> row = probabilities.subspan(i * tags, tags);
    const auto best = std::ranges::max_element(row);
    const auto tag = static_cast<std::size_t>(best - row.begin());
    finder.take(tag == 0 ? "" : severities[tag - 1], *best);
  }
  return std::move(finder.spans);
}

double mqm_score(const std::vector<ErrorSpan>& errors) {
  constexpr double kMost = 25;
  static const std::map<std::string, double> penalties = {{"minor", 1}, {"major", 5}, {"critical", 10}};
  double sum = 0;
  for (const ErrorSpan& error : errors) {
    const auto found = penalties.find(error.severity);
    if (found != penalties.end()) sum += found->second;
  }
  return (kMost - std::min(kMost, sum)) / kMost;
}

}  // namespace nmt
