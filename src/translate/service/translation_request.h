// A request to translate a sentence, the rules that it gives its search, and its result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/text/number.h"
#include "data/text/context.h"
#include "data/text/glossary.h"
#include "data/text/keep_rules.h"
#include "data/text/markup.h"
#include "nn/saved/vocabularies.h"
#include "translate/search/constraints.h"
#include "translate/search/length_limit.h"
#include "translate/search/phrase.h"
#include "translate/search/search_settings.h"
#include "translate/search/sentence_rules.h"
#include "translate/search/strategy.h"
#include "translate/service/annotated_source.h"
#include "translate/service/minimum_risk.h"
#include "translate/service/translation.h"

namespace nmt {

/// The priority of a request. Background requests get the time that interactive requests leave, or a small
/// share of the time if interactive requests leave none.
enum class Priority : std::uint8_t { interactive, background };
inline constexpr std::size_t kPriorities = 2;

/// A sentence to translate, with its own settings.
struct TranslationRequest {
  std::string text;                              // UTF-8, without a line end
  std::shared_ptr<const SearchSettings> search;  // not null
  /// The vocabularies of the models for the languages of this request, with the same special tokens. Null:
  /// the vocabularies of the models as they are.
  std::shared_ptr<const Vocabularies> vocabularies = nullptr;
  /// The target tokens that translations may consist of; null: TranslationSettings::allowed.
  std::shared_ptr<const AllowedTokens> allowed = nullptr;
  /// Whether translations are aligned with the text; TranslationSettings::alignment says how.
  bool align = false;
  /// Whether Translation::sources is set; needs TranslationSettings::alignment as `align` does.
  bool align_words = false;
  /// Whether the tokens and words of translations are returned, with their log-probabilities.
  bool score_tokens = false;
  /// Whether translations will be judged: Paragraph sets Translation::sentences.
  bool judged = false;
  /// The sentences before the text, which are translated with it, as far as they fit, to translate it better.
  /// The models must be trained for that (see PairJoiner), and their vocabularies have separators. `most` is
  /// 0 without a context. See source_context().
  Context context = {};
  /// The choice among the n_best translations of the search, which are then candidates. None: all are
  /// returned in the order of the search.
  std::optional<MinimumRisk> minimum_risk = std::nullopt;
  /// The text that minimum_risk compares candidates with, instead of with each other; see closest_to().
  std::optional<std::string> reference = std::nullopt;
  /// Whether unknown pieces of translations are copied from the text (see with_copies()); needs alignments.
  bool replace_unknown = false;
  /// Whether the text is HTML or XML, for set_apart().
  bool has_markup = false;
  /// The elements that divide the text; null: those of HTML.
  std::shared_ptr<const BlockRules> blocks = nullptr;
  /// The ends of the text that belong to markup of several lines, if it is a line of a text with markup.
  MarkupLines::Ends markup_ends = {};
  /// The rules for parts that set_apart() keeps; null: nothing is kept.
  std::shared_ptr<const KeepRules> keep = nullptr;
  // The parts that set_apart() has taken out of the text and Paragraph puts into translations; they need
  // alignments.
  std::shared_ptr<const MarkedText> markup = nullptr;  // null: there was none
  std::shared_ptr<const KeptParts> kept = nullptr;     // null: there were none
  Priority priority = Priority::interactive;
  /// Among the requests of a priority, lower groups come first, and in a group longer texts.
  std::int64_t group = 0;
  /// The beginning of the translations, as text; empty: none. See SentenceRules::first_tokens.
  std::string prefix = {};
  /// Words or phrases that each translation must include, as text; see Constraints.
  std::vector<Alternatives> constraints = {};
  /// Terms that each sentence in which they occur must translate as the glossary says, by what `glossary_by`
  /// of the search says; see terms_of(). Null: none.
  std::shared_ptr<const Glossary> glossary = nullptr;
  /// The search of a sentence whose terms are constraints, which finds as many translations as `search`, by
  /// rules that take constraints. It follows `search` where that has not met all terms. Null: `search`.
  std::shared_ptr<const SearchSettings> search_of_terms = nullptr;
  /// The terms of this sentence, and those that the model sees with their translations. Paragraph sets them.
  std::vector<FoundTerm> terms = {};
  std::vector<TermAnnotation> annotations = {};
  /// Phrases that no translation may include, in addition to those of `allowed`. The sentences of a text
  /// share them. Null: none.
  std::shared_ptr<const std::vector<std::string>> avoid = nullptr;
  /// The treatment of the text, or of a sentence of it, if it has too many tokens.
  TooLong too_long = TooLong::split;
  /// The number of the text among all texts with the same seed (see SamplingSettings), from 0.
  std::int64_t line = 0;
  /// Changes of settings that the request did not ask for, one line each; see TranslationResult::notices.
  std::vector<std::string> notices = {};
  /// Called with the text of the best translation so far whenever it changes, on a thread of the service.
  /// Must not throw or take long. The final translation may differ.
  std::function<void(std::string)> on_progress = nullptr;
};

/// Returns phrases in the form that requests share; null if there are none.
std::shared_ptr<const std::vector<std::string>> shared_phrases(std::vector<std::string> phrases);

/// The limits of the terms of a sentence that are constraints: their number, and the bytes of their
/// alternatives. A search compares each hypothesis with all of them in each step. Annotations have the same
/// limits.
inline constexpr std::size_t kMostTermsOfSentence = 100, kMostTermBytes = Glossary::kMostTargetBytes;

/// Returns the terms of the glossary of a request that occur in a sentence of it, each once. `language`: a
/// language token at the beginning of the sentence, which belongs to no term.
std::vector<FoundTerm> terms_of(const TranslationRequest& request, std::string_view sentence,
                                std::string_view language);

/// Returns the annotations of the terms of a sentence of a request, up to the limits, with their first
/// translations; none if the search takes terms as constraints. `language` as for terms_of().
std::vector<TermAnnotation> annotations_of(const TranslationRequest& request, std::string_view sentence,
                                           std::string_view language);

/// Takes markup and kept parts out of the text of a request. Throws UsageError as MarkedText and KeepRules
/// do, and if the request also asks for alignments.
void set_apart(TranslationRequest& request);

/// The error for a sentence without enough memory: it needs too much, or other work has taken the memory.
class OutOfMemory : public SentenceError {
 public:
  /// `tokens`: the length of the sentence; 0 if it could not even be encoded.
  explicit OutOfMemory(std::int64_t tokens) : SentenceError("{}", text(tokens)) {}

 private:
  static std::string text(std::int64_t tokens) {
    if (tokens == 0) return "it takes more memory than there is; shorten or split it";
    if (tokens > kUsualMaxLength)
      return fmt::format("its {} tokens take more memory than there is; shorten or split it", tokens);
    return fmt::format(
        "there is no memory left for its {}; close other programs, or use a smaller `beam` or model",
        count_of(tokens, "token"));
  }
};

/// The result of a request.
struct TranslationResult {
  /// At least one and at most the settings' n_best (or that of minimum_risk), best first. The translation of
  /// a text without tokens is empty. No translations if the request failed.
  NBest translations;
  /// Tokens of the source and of the best translation, without special tokens.
  std::int64_t source_tokens = 0, target_tokens = 0;
  /// The number of tokens that a truncated text had; 0: not all were counted. See LengthLimit.
  std::optional<std::int64_t> truncated_from;
  /// Whether the request asked for several translations, even if there is only one.
  bool is_n_best = false;
  /// One line for each setting that was changed to fit the request, and for a text that was truncated instead
  /// of translated in parts.
  std::vector<std::string> notices = {};
  /// Why there are no translations: a SentenceError, such as OutOfMemory, or the failure that ended all work.
  std::exception_ptr failure;
};

/// The context of a sentence as tokens, which a search reads before the source of the sentence.
struct SourceContext {
  std::vector<int> tokens = {};  // of sentences, each followed by a separator
  std::int64_t sentences = 0;
};

/// A request in progress, which belongs to one thread at a time.
struct TranslationJob {
  std::uint64_t id = 0;
  TranslationRequest request;
  std::function<void(TranslationResult)> done;
  std::int64_t rows = 0;  // estimated_rows() when it was submitted, because encoding changes its text
  // After encoding: the token ids, and the rules of the search.
  std::vector<int> source = {};
  std::optional<AnnotatedSource> annotated = {};  // the text that was encoded, if it has annotations
  std::shared_ptr<const SentenceRules> rules = std::make_shared<const SentenceRules>();
  SourceContext context = {};                          // of this search
  std::shared_ptr<const Constraints> terms = nullptr;  // see RequestRules::with_terms(); null: there are none
  bool requires_terms = false;                         // whether the search must meet them
  /// What the search found without requiring the terms, if it is repeated with them.
  std::vector<Hypothesis> without_terms = {};
  TranslationResult result = {};
  std::vector<std::int32_t> told = {};  // ids that on_progress was last called with
};
using JobPtr = std::shared_ptr<TranslationJob>;

/// Returns the text of a job that is encoded.
inline const std::string& text_of(const TranslationJob& job) {
  return job.annotated ? job.annotated->text() : job.request.text;
}

/// Makes the rules for searching the sentences of requests.
class RequestRules {
 public:
  /// `limit` must outlive this object. `is_right_to_left`: whether the models produce translations from right
  /// to left.
  RequestRules(const LengthLimit& limit, bool is_right_to_left)
      : limit_(limit), is_right_to_left_(is_right_to_left) {}

  /// Returns the rules of a request, whose `vocabularies` and `allowed` are not null: its translations begin
  /// with its prefix, or else with the first tokens of the target vocabulary. Throws SentenceError if the
  /// prefix has more tokens than a sentence may have, and UnusablePhrase for a phrase without words.
  std::shared_ptr<const SentenceRules> of(const TranslationRequest& request);
  /// Returns the constraints of a request, followed by those of its first terms, up to the limits; null if it
  /// has no terms.
  std::shared_ptr<const Constraints> with_terms(const TranslationRequest& request);

 private:
  using Phrases = std::shared_ptr<const std::vector<Phrase>>;

  /// The phrases that the last request avoided, which the next sentence of the same text shares.
  struct Avoided {
    std::shared_ptr<const std::vector<std::string>> texts;
    Phrases besides;
    std::shared_ptr<const Vocabularies> vocabularies;
    Phrases phrases;
  };

  std::shared_ptr<const Constraints> made(const std::vector<Alternatives>& constraints,
                                          const std::shared_ptr<const Vocabularies>& vocabularies);
  std::vector<std::int32_t> tokens_of_prefix(const std::string& prefix, const Vocabulary& target) const;
  /// Returns the phrases of `avoid` and those of `allowed`.
  Phrases phrases_to_avoid(const TranslationRequest& request);

  const LengthLimit& limit_;
  bool is_right_to_left_;
  Avoided avoided_;
  // Of the last request with constraints.
  std::shared_ptr<const Vocabularies> vocabularies_;
  Constraints::TokensWithinWords within_words_;
};

}  // namespace nmt
