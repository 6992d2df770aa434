// Texts of several sentences, which are translated separately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/sentences.h"
#include "translate/service/translation_request.h"

namespace nmt {

class TextDivider;

/// Collects the results of the sentences of a text, in any order. The parts of a sentence that is too long
/// count as sentences here. Translations get the markup and the kept parts of the text, and the white space
/// at its ends, except before a prefix.
class Paragraph {
 public:
  /// `request` is the request for the whole text after set_apart(). `splitter` divides the text into
  /// sentences. If it is null, the text, or each block of its markup, is one sentence. If undivided_because()
  /// returns a reason, the text stays whole. `divider` divides sentences that are too long; null: they are
  /// not divided.
  Paragraph(TranslationRequest request, const SentenceSplitter* splitter,
            const TextDivider* divider = nullptr);

  /// The sentences of the text, at least one, without surrounding white space. They refer to memory of this
  /// object.
  const std::vector<std::string_view>& sentences() const { return sentences_; }
  /// Returns the number of the first sentence that has the same translation as this one, because it has the
  /// same request except for its number.
  std::size_t first_like(std::size_t sentence) const { return first_like_[sentence]; }
  /// Returns the request for a sentence. Each sentence has samples of its own; see Translator.
  TranslationRequest request_of(std::size_t sentence) const;

  /// Returns the terms of the glossary that a sentence has.
  const std::vector<FoundTerm>& terms(std::size_t sentence) const { return terms_[sentence]; }

  /// Completes the result of a sentence: puts kept parts back, but no markup yet. If translations are judged,
  /// each gets the sentence to judge, unless it is empty.
  TranslationResult completed(std::size_t sentence, TranslationResult result);
  /// Puts kept parts back into the translation of a sentence that is still being searched.
  std::string completed(std::string so_far) const;
  /// Returns the white space before the translation of a sentence: what joins it to `before`, the last
  /// translation before it that is not empty, or what the text begins with.
  std::string_view space_before(std::size_t sentence, std::string_view before,
                                std::string_view translation) const;
  /// Takes a result from completed(); after the last one, returns the result of the text. The best
  /// translation of the text consists of the best translations of all sentences, the next one of the second
  /// ones, and so on. If a sentence has fewer translations, its last one is used. The white space between the
  /// sentences is kept (see usual_gap() if there was none), and translations get the markup of the text.
  /// Scores, log-probabilities and token counts are sums; tokens and words are concatenated. The text has
  /// failed if a sentence has failed, and is truncated if a sentence is. Thread-safe.
  std::optional<TranslationResult> put(std::size_t sentence, TranslationResult result);

  // put() in slices, for texts that take long.

  /// Takes a result from completed(); returns true for the last one. Thread-safe.
  bool add(std::size_t sentence, TranslationResult result);
  /// Makes one more translation of the text; returns false if there are no more.
  bool finish_one();
  /// Returns the result of the text.
  TranslationResult take() { return std::move(whole_); }
  bool has_markup() const { return request_.markup != nullptr; }

 private:
  /// The aligned source words of each translation of a sentence.
  using SourcesOfRanks = std::vector<SourceWords>;

  /// Returns a sentence as it is translated: on one line, with the language token of the text.
  std::string line_of(std::size_t sentence) const;
  /// Returns a sentence and its completed translation as one reads them: on one line, without markup and
  /// language tokens, and with kept parts. The quality is 0.
  JudgedSentence to_judge(std::size_t sentence, const Translation& translation) const;
  /// Puts kept parts back into the translation of a sentence, and takes its aligned source words.
  void complete_set_apart(std::size_t sentence, Translation& translation);
  /// Divides the context of the text, whose lines are texts as this one, into sentences.
  void divide_context(const SentenceSplitter& splitter, const TextDivider* divider);
  /// Returns the sentences before a sentence, in this text and before it.
  Context context_of(std::size_t sentence) const;
  /// Finds equal sentences. Of samples, and of sentences with a context, no two are equal.
  void find_repetitions();
  bool sets_apart() const { return request_.markup || request_.kept; }
  /// Returns the result of the text without translations.
  TranslationResult summed_up() const;
  /// Joins the translations of this rank of all sentences.
  Translation joined(std::size_t rank) const;
  /// Appends the translations of this rank to `text`. Returns the position at which each of them begins.
  std::vector<std::size_t> places_of_parts(std::size_t rank, std::string& text) const;
  /// Returns, for each word of the joined translations of this rank, the source word to which it is aligned;
  /// -1: none.
  SourceWords sources_of_words(std::size_t rank) const;
  /// Adds the white space at the ends of the text to a translation of it.
  void add_outer_space(Translation& whole) const;
  /// Returns the position at which a sentence begins in the text.
  std::size_t place_of(std::size_t sentence) const {
    return static_cast<std::size_t>(sentences_[sentence].data() - text_.data());
  }
  /// Returns the text between this sentence and the next one.
  std::string_view gap(std::size_t sentence) const;
  /// Returns the text that joins the translations of this sentence and the next one.
  std::string_view joint(std::size_t sentence, std::string_view before, std::string_view after) const;

  TranslationRequest request_;
  std::string text_;
  std::vector<std::string_view> sentences_;
  std::vector<std::size_t> first_like_;  // for each sentence
  std::string language_;  // language token at the beginning of the text, for the other sentences
  std::vector<std::vector<FoundTerm>> terms_;  // of each sentence
  std::vector<SourcesOfRanks> sources_;        // of each sentence, if markup or kept parts were taken out
  std::mutex mutex_;
  std::vector<TranslationResult> results_;
  std::size_t missing_;
  TranslationResult whole_;  // as far as it is finished
};

/// Texts whose sentences are numbered consecutively, and their results.
class Paragraphs {
 public:
  /// The position of a sentence.
  struct Place {
    std::size_t text, sentence;  // the sentence is numbered within its text
  };
  /// The result of a text.
  struct Whole {
    std::size_t text;
    TranslationResult result;
  };

  Paragraphs() = default;
  /// `splitter` and `divider`: see Paragraph.
  Paragraphs(std::vector<TranslationRequest> texts, const SentenceSplitter* splitter,
             const TextDivider* divider = nullptr);
  /// Appends a text. Call it before put() for any of its sentences.
  void append(TranslationRequest text, const SentenceSplitter* splitter,
              const TextDivider* divider = nullptr);

  /// The number of sentences; at least one for each text.
  std::size_t size() const { return places_.size(); }
  const Place& place(std::size_t number) const { return places_[number]; }
  /// Returns the text of a sentence.
  std::string_view sentence(std::size_t number) const {
    return paragraphs_[places_[number].text].sentences()[places_[number].sentence];
  }
  /// Returns the terms of the glossary that a sentence has.
  const std::vector<FoundTerm>& terms(std::size_t number) const {
    return paragraphs_[places_[number].text].terms(places_[number].sentence);
  }
  /// Whether an earlier sentence of the text has the same translation; then this one needs no request.
  bool is_repetition(std::size_t number) const { return first_like(number) != number; }
  /// Returns the repetitions of a sentence that is not a repetition.
  std::span<const std::size_t> repetitions(std::size_t number) const;

  // The following call the functions of Paragraph for the sentence of this number.

  TranslationRequest request_of(std::size_t number) const;
  TranslationResult completed(std::size_t number, TranslationResult result);
  std::string completed(std::size_t number, std::string so_far) const;
  std::string_view space_before(std::size_t number, std::string_view before,
                                std::string_view translation) const;
  std::optional<Whole> put(std::size_t number, TranslationResult result);
  /// Calls Paragraph::add(); use paragraph() for finish_one() and so on.
  bool add(std::size_t number, TranslationResult result);
  Paragraph& paragraph(std::size_t text) { return paragraphs_[text]; }

 private:
  std::size_t first_like(std::size_t number) const {
    const Place& place = places_[number];
    return number - place.sentence + paragraphs_[place.text].first_like(place.sentence);
  }

  std::deque<Paragraph> paragraphs_;  // which do not move in memory
  std::vector<Place> places_;
  std::map<std::size_t, std::vector<std::size_t>> repetitions_;  // of first sentences
};

class TranslationService;

/// Submits texts: sentence by sentence if there is a splitter, and in parts if a sentence is too long. Calls
/// `done` with the position of each text and its result, on a thread of the service. Returns the ids by which
/// the requests can be cancelled.
std::vector<std::uint64_t> submit_texts(TranslationService& service, std::vector<TranslationRequest> texts,
                                        const SentenceSplitter* splitter,
                                        std::function<void(std::size_t text, TranslationResult)> done);

}  // namespace nmt
