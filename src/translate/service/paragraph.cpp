#include "translate/service/paragraph.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nmt {

Paragraph::Paragraph(std::string text, const SentenceSplitter* splitter) : text_(std::move(text)) {
  if (splitter != nullptr) sentences_ = (*splitter)(text_);
  if (sentences_.size() < 2) sentences_ = {text_};
  results_.resize(sentences_.size());
  missing_ = sentences_.size();
}

std::optional<TranslationResult> Paragraph::put(std::size_t sentence, TranslationResult result) {
  const std::lock_guard lock(mutex_);
  results_[sentence] = std::move(result);
  if (--missing_ > 0) return std::nullopt;
  return results_.size() == 1 ? std::move(results_[0]) : joined();
}

std::string_view Paragraph::gap(std::size_t sentence) const {
  const std::string_view before = sentences_[sentence], after = sentences_[sentence + 1];
  const char* const end = before.data() + before.size();
  return {end, static_cast<std::size_t>(after.data() - end)};
}

TranslationResult Paragraph::joined() {
  TranslationResult whole;
  std::size_t most = 0;
  for (const TranslationResult& part : results_) {
    whole.source_tokens += part.source_tokens;
    whole.target_tokens += part.target_tokens;
    if (!whole.truncated_from) whole.truncated_from = part.truncated_from;
    if (!whole.failure) whole.failure = part.failure;
    most = std::max(most, part.translations.size());
  }
  if (whole.failure) return whole;
  for (std::size_t rank = 0; rank < most; ++rank) whole.translations.push_back(joined(rank));
  return whole;
}

Translation Paragraph::joined(std::size_t rank) const {
  Translation whole;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const NBest& list = results_[i].translations;
    const Translation& part = list[std::min(rank, list.size() - 1)];
    whole.score += part.score;
    whole.log_probability += part.log_probability;
    if (i > 0) {
      const std::string_view between = gap(i - 1);
      whole.text += between.empty() ? usual_gap(whole.text, part.text) : between;
    }
    whole.text += part.text;
    std::ranges::copy(part.tokens, std::back_inserter(whole.tokens));
    std::ranges::copy(part.words, std::back_inserter(whole.words));
  }
  return whole;
}

}  // namespace nmt
