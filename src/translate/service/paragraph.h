// Texts of several sentences, each of which is translated for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/sentences.h"
#include "translate/service/translation_request.h"

namespace nmt {

class TextDivider;

/// A text, and the results of its sentences, in any order. Parts of a sentence that is too long count as
/// sentences here. Translations get the white space at the ends of the text (not before a prefix), its
/// markup, and what was kept of it.
class Paragraph {
 public:
  /// `request`: of the whole text, as set_apart() leaves it. `splitter`: null where that is one sentence as
  /// it is. `divider`: what divides sentences that are too long; null: they are not divided.
  Paragraph(TranslationRequest request, const SentenceSplitter* splitter,
            const TextDivider* divider = nullptr);

  /// At least one, without white space at its ends. They are parts of a text in this object.
  const std::vector<std::string_view>& sentences() const { return sentences_; }
  /// What is asked of a sentence. Samples of each are its own; see Translator.
  TranslationRequest request_of(std::size_t sentence) const;

  /// Completes what came of a sentence: puts back what was kept of it, but not yet its markup.
  TranslationResult completed(std::size_t sentence, TranslationResult result);
  /// What is found so far of a sentence, with what was kept of it.
  std::string completed(std::string so_far) const;
  /// Brings what completed() has made of a sentence; with the last one, returns what came of the whole. Of
  /// several, the best translations together are the best one, the second ones the next one, and so on, where
  /// the last one of a sentence stands for those that it lacks; they have the white space between them that
  /// was between the sentences (see usual_gap() where there was none), and the markup of the text; scores,
  /// log-probabilities and counts of tokens are sums, tokens and words those of all. If a sentence has
  /// failed, the text has, and if one was cut, the text was. Any thread.
  std::optional<TranslationResult> put(std::size_t sentence, TranslationResult result);

  // The same in slices, for texts that take long.

  /// Brings what came of a sentence; true: it was the last one. Any thread.
  bool add(std::size_t sentence, TranslationResult result);
  /// Makes one more translation of the whole; false: there are no more.
  bool finish_one();
  /// What came of the whole.
  TranslationResult take() { return std::move(whole_); }
  bool has_markup() const { return request_.markup != nullptr; }

 private:
  /// The source words of the words of each translation of a sentence.
  using SourcesOfRanks = std::vector<SourceWords>;

  bool sets_apart() const { return request_.markup || request_.kept; }
  /// What came of all sentences, without translations.
  TranslationResult summed_up() const;
  /// Of the translations of this rank.
  Translation joined(std::size_t rank) const;
  /// Appends the text of the translations of this rank to `text`. Returns where each of them begins.
  std::vector<std::size_t> places_of_parts(std::size_t rank, std::string& text) const;
  /// Of each word of such a text, the word of the source that it is aligned to; -1: none.
  SourceWords sources_of_words(std::size_t rank) const;
  /// Gives a translation of the whole the white space at the ends of the text.
  void add_outer_space(Translation& whole) const;
  /// Where a sentence begins in the text.
  std::size_t place_of(std::size_t sentence) const {
    return static_cast<std::size_t>(sentences_[sentence].data() - text_.data());
  }
  /// What is between this sentence and the next one.
  std::string_view gap(std::size_t sentence) const;
  /// What joins these translations of this sentence and the next one.
  std::string_view joint(std::size_t sentence, std::string_view before, std::string_view after) const;

  TranslationRequest request_;
  std::string text_;
  std::vector<std::string_view> sentences_;
  std::string language_;  // the token of a language that the text begins with, for the other sentences
  std::vector<SourcesOfRanks> sources_;  // of each sentence, where something was set apart
  std::mutex mutex_;
  std::vector<TranslationResult> results_;
  std::size_t missing_;
  TranslationResult whole_;  // as far as it is finished
};

/// Texts whose sentences are numbered one after another, and what comes of them.
class Paragraphs {
 public:
  /// The place of a sentence.
  struct Place {
    std::size_t text, sentence;  // its number among those of the text
  };
  /// What came of a text.
  struct Whole {
    std::size_t text;
    TranslationResult result;
  };

  Paragraphs() = default;
  /// `splitter` and `divider`: see Paragraph.
  Paragraphs(std::vector<TranslationRequest> texts, const SentenceSplitter* splitter,
             const TextDivider* divider = nullptr);
  /// Appends a text, before any of its sentences is put.
  void append(TranslationRequest text, const SentenceSplitter* splitter,
              const TextDivider* divider = nullptr);

  /// How many sentences there are; at least one of each text.
  std::size_t size() const { return places_.size(); }
  const Place& place(std::size_t number) const { return places_[number]; }
  /// The text of a sentence.
  std::string_view sentence(std::size_t number) const {
    return paragraphs_[places_[number].text].sentences()[places_[number].sentence];
  }
  // As those of Paragraph, for a sentence of this number.

  TranslationRequest request_of(std::size_t number) const;
  TranslationResult completed(std::size_t number, TranslationResult result);
  std::string completed(std::size_t number, std::string so_far) const;
  std::optional<Whole> put(std::size_t number, TranslationResult result);
  /// Paragraph::add(), finish_one() and so on.
  bool add(std::size_t number, TranslationResult result);
  Paragraph& paragraph(std::size_t text) { return paragraphs_[text]; }

 private:
  std::deque<Paragraph> paragraphs_;  // which do not move
  std::vector<Place> places_;
};

class TranslationService;

/// Submits texts: sentence by sentence where there is a splitter, and in parts where a sentence is too long.
/// `done` is called with the place of each text among them and its result, on a thread of the service.
/// Returns the numbers to cancel them by.
std::vector<std::uint64_t> submit_texts(TranslationService& service, std::vector<TranslationRequest> texts,
                                        const SentenceSplitter* splitter,
                                        std::function<void(std::size_t text, TranslationResult)> done);

}  // namespace nmt
