#include "translate/service/paragraph.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <utility>

#include "data/text/white_space.h"
#include "translate/service/translation_service.h"

namespace nmt {
namespace {

/// The last one stands for those that are not there.
const Translation& of_rank(const NBest& translations, std::size_t rank) {
  return translations[std::min(rank, translations.size() - 1)];
}

/// A text as one line.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

/// Words with spaces between them.
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
  if (sentences_.size() < 2) sentences_ = {without_outer_space(text_)};
  results_.resize(sentences_.size());
  sources_.resize(sentences_.size());
  missing_ = sentences_.size();
}

TranslationRequest Paragraph::request_of(std::size_t sentence) const {
  TranslationRequest request = request_;
  request.text = on_one_line(sentences_[sentence]);
  request.line += static_cast<std::int64_t>(sentence) << 32;
  if (!sets_apart()) return request;
  if (request_.kept && !request_.kept->has_words(request.text)) request.text.clear();
  request.markup = nullptr;
  request.kept = nullptr;
  request.align_words = true;
  return request;
}

TranslationResult Paragraph::completed(std::size_t sentence, TranslationResult result) {
  if (!sets_apart()) return result;
  const std::string source = on_one_line(sentences_[sentence]);
  for (Translation& translation : result.translations) {
    SourceWords sources = std::exchange(translation.sources, {});
    if (request_.kept && !request_.kept->has_words(source)) {
      translation.text = sentences_[sentence];  // which was not translated
      sources.resize(words_in(source));
      std::iota(sources.begin(), sources.end(), 0);
    }
    if (request_.kept) request_.kept->complete(source, translation.text, sources);
    if (request_.kept && !request_.markup) translation.text = request_.kept->restored(translation.text);
    sources_[sentence].push_back(std::move(sources));
  }
  return result;
}

std::string Paragraph::completed(std::string so_far) const {
  return request_.kept ? request_.kept->restored(so_far) : so_far;
}

std::optional<TranslationResult> Paragraph::put(std::size_t sentence, TranslationResult result) {
  if (!add(sentence, std::move(result))) return std::nullopt;
  while (finish_one()) continue;
  return take();
}

bool Paragraph::add(std::size_t sentence, TranslationResult result) {
  const std::lock_guard lock(mutex_);
  results_[sentence] = std::move(result);
  if (--missing_ > 0) return false;
  whole_ = summed_up();
  return true;
}

bool Paragraph::finish_one() {
  const std::size_t rank = whole_.translations.size();
  const bool is_there = std::ranges::any_of(
      results_, [rank](const TranslationResult& part) { return rank < part.translations.size(); });
  if (whole_.failure || !is_there) return false;
  if (results_.size() > 1) {
    whole_.translations.push_back(joined(rank));
  } else {
    std::string text = finished(results_[0].translations[rank].text, rank);
    whole_.translations.push_back(std::move(results_[0].translations[rank]));
    whole_.translations.back().text = std::move(text);
  }
  return true;
}

std::string Paragraph::finished(std::string text, std::size_t rank) const {
  if (request_.markup) return request_.markup->restore(text, sources_of_words(rank));
  const std::size_t before = static_cast<std::size_t>(sentences_.front().data() - text_.data()),
                    after = static_cast<std::size_t>(sentences_.back().data() - text_.data()) +
                            sentences_.back().size();
  if (request_.prefix.empty()) text.insert(0, text_, 0, before);
  if (results_.back().truncated_from) return text;  // the space is where the text was cut
  return text.append(text_, after);
}

std::string_view Paragraph::gap(std::size_t sentence) const {
  const std::string_view before = sentences_[sentence], after = sentences_[sentence + 1];
  const char* const end = before.data() + before.size();
  if (request_.markup && end != after.data()) return " ";
  return {end, static_cast<std::size_t>(after.data() - end)};
}

TranslationResult Paragraph::summed_up() const {
  TranslationResult whole;
  for (const TranslationResult& part : results_) {
    whole.source_tokens += part.source_tokens;
    whole.target_tokens += part.target_tokens;
    if (!whole.truncated_from) whole.truncated_from = part.truncated_from;
    if (!whole.failure) whole.failure = part.failure;
  }
  return whole;
}

SourceWords Paragraph::sources_of_words(std::size_t rank) const {
  SourceWords sources;
  bool is_within_word = false;
  std::int64_t first = 0;  // word of a sentence
  const char* counted = text_.data();
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Translation& part = of_rank(results_[i].translations, rank);
    first += std::count_if(counted, sentences_[i].data(), [](char c) { return c == ' ' || c == '\n'; });
    counted = sentences_[i].data();
    SourceWords words = sources_[i][std::min(rank, sources_[i].size() - 1)];
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
  whole.text = finished(std::move(whole.text), rank);
  return whole;
}

Paragraphs::Paragraphs(std::vector<TranslationRequest> texts, const SentenceSplitter* splitter) {
  for (TranslationRequest& text : texts) append(std::move(text), splitter);
}

void Paragraphs::append(TranslationRequest text, const SentenceSplitter* splitter) {
  const std::size_t number = paragraphs_.size();
  const Paragraph& paragraph = paragraphs_.emplace_back(std::move(text), splitter);
  for (std::size_t i = 0; i < paragraph.sentences().size(); ++i) places_.push_back({number, i});
}

TranslationRequest Paragraphs::request_of(std::size_t number) const {
  const Place& place = places_[number];
  return paragraphs_[place.text].request_of(place.sentence);
}

TranslationResult Paragraphs::completed(std::size_t number, TranslationResult result) {
  const Place& place = places_[number];
  return paragraphs_[place.text].completed(place.sentence, std::move(result));
}

std::string Paragraphs::completed(std::size_t number, std::string so_far) const {
  return paragraphs_[places_[number].text].completed(std::move(so_far));
}

bool Paragraphs::add(std::size_t number, TranslationResult result) {
  const Place& place = places_[number];
  return paragraphs_[place.text].add(place.sentence, std::move(result));
}

std::optional<Paragraphs::Whole> Paragraphs::put(std::size_t number, TranslationResult result) {
  const Place& place = places_[number];
  auto whole = paragraphs_[place.text].put(place.sentence, std::move(result));
  return whole ? std::optional<Whole>({place.text, std::move(*whole)}) : std::nullopt;
}

std::vector<std::uint64_t> submit_texts(TranslationService& service, std::vector<TranslationRequest> texts,
                                        const SentenceSplitter* splitter,
                                        std::function<void(std::size_t, TranslationResult)> done) {
  const auto paragraphs = std::make_shared<Paragraphs>(std::move(texts), splitter);
  std::vector<TranslationRequest> requests;
  requests.reserve(paragraphs->size());
  for (std::size_t i = 0; i < paragraphs->size(); ++i) requests.push_back(paragraphs->request_of(i));
  return service.submit(std::move(requests),
                        [paragraphs, done = std::move(done)](std::size_t i, TranslationResult result) {
                          result = paragraphs->completed(i, std::move(result));
                          if (auto whole = paragraphs->put(i, std::move(result)))
                            done(whole->text, std::move(whole->result));
                        });
}

}  // namespace nmt
