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
  TranslationResult whole{.translations = NBest(1)};
  Translation& translation = whole.translations.front();
  for (std::size_t i = 0; i < results_.size(); ++i) {
    TranslationResult& part = results_[i];
    whole.source_tokens += part.source_tokens;
    whole.target_tokens += part.target_tokens;
    if (!whole.truncated_from) whole.truncated_from = part.truncated_from;
    if (part.failure) {
      if (!whole.failure) whole.failure = part.failure;
      continue;
    }
    const Translation& best = part.translations.front();
    translation.score += best.score;
    translation.log_probability += best.log_probability;
    if (i > 0) {
      const std::string_view between = gap(i - 1);
      translation.text += between.empty() ? usual_gap(translation.text, best.text) : between;
    }
    translation.text += best.text;
    std::ranges::copy(best.tokens, std::back_inserter(translation.tokens));
    std::ranges::copy(best.words, std::back_inserter(translation.words));
  }
  if (whole.failure) whole.translations.clear();
  return whole;
}

}  // namespace nmt
