#include "translate/service/paragraph.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "common/text/words.h"
#include "data/text/white_space.h"
#include "data/vocabulary/words.h"
#include "translate/service/text_divider.h"
#include "translate/service/translation_service.h"

namespace nmt {
namespace {

/// Returns the translation of this rank, or the last one if there are fewer.
const Translation& of_rank(const NBest& translations, std::size_t rank) {
  return translations[std::min(rank, translations.size() - 1)];
}

/// Returns a text as one line.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

/// Returns the lines of a text that are not empty, without surrounding white space.
std::vector<std::string_view> lines_in(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    const std::string_view line = without_outer_space(text.substr(0, size));
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return lines;
}

/// Whether the text at this position continues the word before it.
bool is_within_word(std::string_view text, std::size_t place) {
  return place > 0 && place < text.size() && !separates_words(text[place - 1]) &&
         !separates_words(text[place]);
}

/// Returns the words from a position of a text on, as a part of all of its words.
PartOfWords part_at(std::size_t place, std::string_view text) {
  const Words words = words_at(text, {&place, 1});
  return {words.of_piece[0], words.count};
}

/// Removes alignments to the first `words` source words.
void leave_out_first(std::size_t words, SourceWords& sources) {
  for (std::int64_t& word : sources)
    word = std::max<std::int64_t>(word - static_cast<std::int64_t>(words), -1);
}

}  // namespace

Paragraph::Paragraph(TranslationRequest request, const SentenceSplitter* splitter, const TextDivider* divider)
    : request_(std::move(request)), text_(std::move(request_.text)) {
  const bool has_blocks = request_.markup && (splitter != nullptr || undivided_because(request_) == nullptr);
  if (has_blocks) text_ = request_.markup->lines();
  if (splitter != nullptr) {
    sentences_ = request_.kept ? request_.kept->sentences(text_, *splitter) : (*splitter)(text_);
  } else if (has_blocks) {
    sentences_ = lines_in(text_);
  }
  if (sentences_.size() < 2) sentences_ = {without_outer_space(text_)};
  if (divider != nullptr) {
    language_ = divider->language_of(request_, text_);
    sentences_ = divider->divided(request_, sentences_, language_);
  }
  if (splitter != nullptr && request_.context.most > 0) divide_context(*splitter, divider);
  for (const std::string_view sentence : sentences_)
    terms_.push_back(terms_of(request_, on_one_line(sentence), language_));
  results_.resize(sentences_.size());
  sources_.resize(sentences_.size());
  missing_ = sentences_.size();
  find_repetitions();
}

void Paragraph::find_repetitions() {
  first_like_.resize(sentences_.size());
  std::iota(first_like_.begin(), first_like_.end(), 0);
  if (request_.search->sampling || request_.context.most > 0) return;
  std::unordered_map<std::string_view, std::size_t> first;
  // The first sentence contains the language that the others get.
  for (std::size_t i = language_.empty() ? 0 : 1; i < sentences_.size(); ++i)
    first_like_[i] = first.try_emplace(sentences_[i], i).first->second;
}

std::string Paragraph::line_of(std::size_t sentence) const {
  std::string line = on_one_line(sentences_[sentence]);
  if (sentence > 0 && !line.empty()) line.insert(0, language_);
  return line;
}

void Paragraph::divide_context(const SentenceSplitter& splitter, const TextDivider* divider) {
  for (const std::string& text : std::exchange(request_.context.sentences, {})) {
    const std::string language(divider != nullptr ? divider->language_of(request_, text) : "");
    bool is_first = true;
    for (const std::string_view sentence : splitter(text))
      request_.context.add((std::exchange(is_first, false) ? "" : language) + on_one_line(sentence));
  }
}

Context Paragraph::context_of(std::size_t sentence) const {
  Context context = request_.context;
  for (std::size_t i = sentence - std::min(sentence, context.most); i < sentence; ++i)
    context.add(line_of(i));
  return context;
}

TranslationRequest Paragraph::request_of(std::size_t sentence) const {
  TranslationRequest request = request_;
  request.notices.clear();  // they belong to the whole text
  request.text = line_of(sentence);
  request.context = context_of(sentence);
  request.line += static_cast<std::int64_t>(sentence) << 32;
  request.terms = terms_[sentence];
  request.annotations = annotations_of(request_, request.text, language_);
  request.glossary = nullptr;
  if (!sets_apart()) return request;
  if (request_.kept && !request_.kept->has_words(sentences_[sentence])) request.text.clear();
  request.markup = nullptr;
  request.kept = nullptr;
  request.align_words = true;
  return request;
}

TranslationResult Paragraph::completed(std::size_t sentence, TranslationResult result) {
  for (Translation& translation : result.translations) {
    if (sets_apart()) complete_set_apart(sentence, translation);
    if (!request_.judged) continue;
    JudgedSentence judged = to_judge(sentence, translation);
    if (!judged.source.empty()) translation.sentences = {std::move(judged)};
  }
  return result;
}

void Paragraph::complete_set_apart(std::size_t sentence, Translation& translation) {
  const std::string source = on_one_line(sentences_[sentence]);
  SourceWords sources = std::exchange(translation.sources, {});
  if (sentence > 0) leave_out_first(words_in(language_).size(), sources);
  if (request_.kept && !request_.kept->has_words(source)) {
    translation.text = sentences_[sentence];  // it was not translated
    sources.resize(words_in(source).size());
    std::iota(sources.begin(), sources.end(), 0);
  }
  if (request_.kept) request_.kept->complete(source, translation.text, sources);
  if (request_.kept && !request_.markup) translation.text = request_.kept->restored(translation.text);
  sources_[sentence].push_back(std::move(sources));
}

std::string Paragraph::completed(std::string so_far) const {
  return request_.kept ? request_.kept->restored(so_far) : so_far;
}

std::string_view Paragraph::space_before(std::size_t sentence, std::string_view before,
                                         std::string_view translation) const {
  if (sentence > 0) return joint(sentence - 1, before, translation);
  return std::string_view(text_).substr(0, place_of(0));
}

JudgedSentence Paragraph::to_judge(std::size_t sentence, const Translation& translation) const {
  std::string source = on_one_line(sentences_[sentence]);
  if (sentence == 0 && source.starts_with(language_)) source.erase(0, language_.size());
  return {completed(std::string(without_outer_space(source))), completed(translation.text)};
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
  const SourceWords sources = request_.markup ? sources_of_words(rank) : SourceWords();
  Translation& whole = whole_.translations.emplace_back();
  whole = results_.size() > 1 ? joined(rank) : std::move(results_[0].translations[rank]);
  if (request_.markup) {
    whole.text = request_.markup->restore(whole.text, sources);
  } else {
    add_outer_space(whole);
  }
  return true;
}

void Paragraph::add_outer_space(Translation& whole) const {
  const std::size_t before = place_of(0), after = place_of(sentences_.size() - 1) + sentences_.back().size();
  const std::size_t place = request_.prefix.empty() ? before : 0;  // where the translation begins in its text
  whole.text.insert(0, text_, 0, place);
  // If the text was truncated, the white space is where the rest was.
  if (!results_.back().truncated_from) whole.text.append(text_, after);
  // Unicode white space between ASCII white space counts as a word.
  if (request_.align && results_.size() == 1)
    whole.alignment = within(std::move(whole.alignment), part_at(before, text_), part_at(place, whole.text));
  if (whole.words.empty() || sets_apart()) return;
  std::vector<ScoredPart> words;
  for (const std::string_view word : words_in(whole.text)) words.push_back({std::string(word), 0});
  const auto first = static_cast<std::size_t>(part_at(place, whole.text).first);
  for (std::size_t i = 0; i < whole.words.size(); ++i)
    words[first + i].log_probability = whole.words[i].log_probability;
  whole.words = std::move(words);
}

std::string_view Paragraph::gap(std::size_t sentence) const {
  const std::string_view before = sentences_[sentence], after = sentences_[sentence + 1];
  const char* const end = before.data() + before.size();
  if (request_.markup && end != after.data()) return " ";
  return {end, static_cast<std::size_t>(after.data() - end)};
}

std::string_view Paragraph::joint(std::size_t sentence, std::string_view before,
                                  std::string_view after) const {
  const std::string_view between = gap(sentence);
  if (!between.empty()) return between;
  // If the text has no space where one is usual, it was divided within a word.
  const bool divides_word = !usual_gap(sentences_[sentence], sentences_[sentence + 1]).empty();
  return divides_word ? between : usual_gap(before, after);
}

TranslationResult Paragraph::summed_up() const {
  const int wanted = request_.minimum_risk ? request_.minimum_risk->n_best : request_.search->n_best;
  TranslationResult whole{.is_n_best = wanted > 1, .notices = request_.notices};
  for (const TranslationResult& part : results_) {
    whole.source_tokens += part.source_tokens;
    whole.target_tokens += part.target_tokens;
    if (!whole.truncated_from) whole.truncated_from = part.truncated_from;
    if (!whole.failure) whole.failure = part.failure;
  }
  const char* const reason = undivided_because(request_);
  if (whole.truncated_from && request_.too_long == TooLong::split && reason != nullptr) {
    whole.notices.push_back(fmt::format(
        "`too_long`: text that is too long is truncated, not split, because {} is of the whole text",
        reason));
  }
  return whole;
}

std::vector<std::size_t> Paragraph::places_of_parts(std::size_t rank, std::string& text) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const std::string& part = of_rank(results_[i].translations, rank).text;
    if (i > 0) text += joint(i - 1, text, part);
    places.push_back(text.size());
    text += part;
  }
  return places;
}

SourceWords Paragraph::sources_of_words(std::size_t rank) const {
  std::string text;
  const std::vector<std::size_t> places = places_of_parts(rank, text);
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < sentences_.size(); ++i) begins.push_back(place_of(i));
  const Words first = words_at(text_, begins);
  SourceWords sources;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    SourceWords words = sources_[i][std::min(rank, sources_[i].size() - 1)];
    words.resize(words_in(of_rank(results_[i].translations, rank).text).size(), -1);
    for (std::int64_t& word : words) word += word < 0 ? 0 : first.of_piece[i];
    std::copy(words.begin() + (is_within_word(text, places[i]) ? 1 : 0), words.end(),
              std::back_inserter(sources));
  }
  return sources;
}

Translation Paragraph::joined(std::size_t rank) const {
  Translation whole;
  const std::vector<std::size_t> places = places_of_parts(rank, whole.text);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const Translation& part = of_rank(results_[i].translations, rank);
    whole.score += part.score;
    whole.log_probability += part.log_probability;
    std::ranges::copy(part.terms, std::back_inserter(whole.terms));
    std::ranges::copy(part.tokens, std::back_inserter(whole.tokens));
    std::ranges::copy(part.sentences, std::back_inserter(whole.sentences));
    auto word = part.words.begin();
    if (word != part.words.end() && !whole.words.empty() && is_within_word(whole.text, places[i])) {
      whole.words.back().text += word->text;
      whole.words.back().log_probability += word->log_probability;
      ++word;
    }
    std::copy(word, part.words.end(), std::back_inserter(whole.words));
  }
  // A utility is the mean of a metric, while log-probabilities add up.
  if (request_.minimum_risk) whole.score /= static_cast<double>(results_.size());
  return whole;
}

Paragraphs::Paragraphs(std::vector<TranslationRequest> texts, const SentenceSplitter* splitter,
                       const TextDivider* divider) {
  for (TranslationRequest& text : texts) append(std::move(text), splitter, divider);
}

void Paragraphs::append(TranslationRequest text, const SentenceSplitter* splitter,
                        const TextDivider* divider) {
  const std::size_t number = paragraphs_.size();
  const Paragraph& paragraph = paragraphs_.emplace_back(std::move(text), splitter, divider);
  for (std::size_t i = 0; i < paragraph.sentences().size(); ++i) {
    const std::size_t sentence = places_.size();
    places_.push_back({number, i});
    if (is_repetition(sentence)) repetitions_[first_like(sentence)].push_back(sentence);
  }
}

std::span<const std::size_t> Paragraphs::repetitions(std::size_t number) const {
  const auto found = repetitions_.find(number);
  return found == repetitions_.end() ? std::span<const std::size_t>() : found->second;
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

std::string_view Paragraphs::space_before(std::size_t number, std::string_view before,
                                          std::string_view translation) const {
  const Place& place = places_[number];
  return paragraphs_[place.text].space_before(place.sentence, before, translation);
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
  const auto paragraphs = std::make_shared<Paragraphs>(std::move(texts), splitter, &service.divider());
  std::vector<TranslationRequest> requests;
  std::vector<std::size_t> numbers;  // of their sentences
  for (std::size_t i = 0; i < paragraphs->size(); ++i) {
    if (paragraphs->is_repetition(i)) continue;
    requests.push_back(paragraphs->request_of(i));
    numbers.push_back(i);
  }
  const auto put = [paragraphs, done = std::move(done)](std::size_t number, TranslationResult result) {
    result = paragraphs->completed(number, std::move(result));
    if (auto whole = paragraphs->put(number, std::move(result))) done(whole->text, std::move(whole->result));
  };
  return service.submit(std::move(requests), [paragraphs, put, numbers = std::move(numbers)](
                                                 std::size_t i, TranslationResult result) {
    for (const std::size_t repetition : paragraphs->repetitions(numbers[i])) put(repetition, result);
    put(numbers[i], std::move(result));
  });
}

}  // namespace nmt
