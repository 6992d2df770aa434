#include "translate/service/paragraph.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "translate/scoring/alignment.h"
#include "translate/service/translation_service.h"

namespace nmt {
namespace {

/// The last one stands for those that are not there.
const Translation& of_rank(const NBest& translations, std::size_t rank) {
  return translations[std::min(rank, translations.size() - 1)];
}

/// Words with blanks between them.
std::size_t words_in(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ' && (i == 0 || text[i - 1] == ' ')) ++count;
  }
  return count;
}

}  // namespace

Paragraph::Paragraph(TranslationRequest request, const SentenceSplitter* splitter)
    : request_(std::move(request)), text_(std::move(request_.text)) {
  if (splitter != nullptr && request_.markup) text_ = request_.markup->lines();
  if (splitter != nullptr) sentences_ = (*splitter)(text_);
  if (sentences_.size() < 2) sentences_ = {text_};
  results_.resize(sentences_.size());
  missing_ = sentences_.size();
}

TranslationRequest Paragraph::request_of(std::size_t sentence) const {
  TranslationRequest request = request_;
  request.text = sentences_[sentence];
  std::ranges::replace_if(
      request.text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  request.line += static_cast<std::int64_t>(sentence) << 32;
  if (request.markup && sentences_.size() > 1) {
    request.markup = nullptr;  // which the whole gets
    request.align = true;
  }
  return request;
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
  if (request_.markup && end != after.data()) return " ";
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

std::vector<std::int64_t> Paragraph::sources_of_words(std::size_t rank) const {
  std::vector<std::int64_t> sources;
  bool is_within_word = false;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Translation& part = of_rank(results_[i].translations, rank);
    const std::string_view before(text_.data(),
                                  static_cast<std::size_t>(sentences_[i].data() - text_.data()));
    const std::int64_t first = std::ranges::count(before, ' ') + std::ranges::count(before, '\n');
    std::vector<std::int64_t> words = nmt::sources_of_words(part.alignment);
    words.resize(words_in(part.text), -1);
    for (std::int64_t& word : words) word += word < 0 ? 0 : first;
    std::copy(words.begin() + (is_within_word && !words.empty() ? 1 : 0), words.end(),
              std::back_inserter(sources));
    is_within_word = i + 1 < results_.size() && gap(i).empty() &&
                     usual_gap(part.text, of_rank(results_[i + 1].translations, rank).text).empty();
  }
  return sources;
}

Translation Paragraph::joined(std::size_t rank) const {
  Translation whole;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Translation& part = of_rank(results_[i].translations, rank);
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
  if (request_.markup) whole.text = request_.markup->restore(whole.text, sources_of_words(rank));
  return whole;
}

Paragraphs::Paragraphs(std::vector<TranslationRequest> texts, const SentenceSplitter* splitter) {
  for (std::size_t text = 0; text < texts.size(); ++text) {
    const Paragraph& paragraph = paragraphs_.emplace_back(std::move(texts[text]), splitter);
    for (std::size_t i = 0; i < paragraph.sentences().size(); ++i) places_.push_back({text, i});
  }
}

TranslationRequest Paragraphs::request_of(std::size_t number) const {
  const Place& place = places_[number];
  return paragraphs_[place.text].request_of(place.sentence);
}

std::optional<Paragraphs::Whole> Paragraphs::put(std::size_t number, TranslationResult result) {
  const Place& place = places_[number];
  auto whole = paragraphs_[place.text].put(place.sentence, std::move(result));
  return whole ? std::optional<Whole>({place.text, std::move(*whole)}) : std::nullopt;
}

std::vector<std::uint64_t> submit_texts(TranslationService& service, std::vector<TranslationRequest> texts,
                                        const SentenceSplitter* splitter,
                                        std::function<void(std::size_t, TranslationResult)> done) {
  // Shared by what the service calls, as is `done`.
  const auto paragraphs = std::make_shared<Paragraphs>(std::move(texts), splitter);
  const auto tell = std::make_shared<const decltype(done)>(std::move(done));
  std::vector<TranslationRequest> requests;
  requests.reserve(paragraphs->size());
  for (std::size_t i = 0; i < paragraphs->size(); ++i) requests.push_back(paragraphs->request_of(i));
  return service.submit(std::move(requests), [paragraphs, tell](std::size_t i, TranslationResult result) {
    if (auto whole = paragraphs->put(i, std::move(result))) (*tell)(whole->text, std::move(whole->result));
  });
}

}  // namespace nmt
