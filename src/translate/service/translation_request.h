// A sentence that is to be translated, and what comes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/text/plural.h"
#include "data/text/keep_rules.h"
#include "data/text/markup.h"
#include "nn/files/vocabularies.h"
#include "translate/search/constraints.h"
#include "translate/search/length_limit.h"
#include "translate/search/sentence_error.h"
#include "translate/search/strategy.h"
#include "translate/service/minimum_risk.h"
#include "translate/service/translation.h"

namespace nmt {

/// Which of a service's searches translates a request. Background requests take the time that interactive
/// requests leave, and a small share where these leave none.
enum class Priority : std::uint8_t { interactive, background };
inline constexpr std::size_t kPriorities = 2;

/// One sentence with settings of its own.
struct TranslationRequest {
  std::string text;                              // UTF-8, without a line end
  std::shared_ptr<const SearchSettings> search;  // not null
  /// Those of the models for its languages, whose special tokens must be the same. Null: as the models have
  /// them.
  std::shared_ptr<const Vocabularies> vocabularies = nullptr;
  /// Whether translations are aligned with the text; TranslationServiceSettings::alignment tells how.
  bool align = false;
  /// Whether Translation::sources is told; as for `align`.
  bool align_words = false;
  /// Whether the tokens and words of translations are told, with their log-probabilities.
  bool score_tokens = false;
  /// How translations are chosen among the n_best of the search, which are candidates then. None: they are
  /// all wanted, as they were found.
  std::optional<MinimumRisk> minimum_risk = std::nullopt;
  /// The text that candidates are compared with by minimum_risk, in the place of each other; see
  /// closest_to().
  std::optional<std::string> reference = std::nullopt;
  /// Whether unknown pieces of translations are copied from the text (see with_copies()); as for `align`.
  bool replace_unknown = false;
  /// Whether the text is HTML or XML, as which set_apart() has to read it.
  bool has_markup = false;
  /// What set_apart() has to keep as it is; null: nothing.
  std::shared_ptr<const KeepRules> keep = nullptr;
  // What set_apart() has taken out of the text, which Paragraph puts into translations; as for `align`.
  std::shared_ptr<const MarkedText> markup = nullptr;  // null: there was none
  std::shared_ptr<const KeptParts> kept = nullptr;     // null: there were none
  Priority priority = Priority::interactive;
  /// Among requests of a priority, those of a lower group come first, and of one group longer texts.
  std::int64_t group = 0;
  /// What translations begin with, a text as well; empty: as the search finds. See
  /// SearchSettings::first_tokens.
  std::string prefix = {};
  /// What must occur in each of them, words or phrases as text; see Constraints.
  std::vector<Alternatives> constraints = {};
  /// What must not, besides what search->forbidden_phrases has. The sentences of a text share these phrases.
  /// Null: nothing.
  std::shared_ptr<const std::vector<std::string>> avoid = nullptr;
  /// What becomes of the text, or of a sentence of it, that has more tokens than are taken.
  TooLong too_long = TooLong::split;
  /// The number of the text among those of one seed (see SamplingSettings), from 0.
  std::int64_t line = 0;
  /// What was changed for this request among settings that nobody asked for, a line for each change; see
  /// TranslationResult::notices.
  std::vector<std::string> notices = {};
  /// Told the text of the best translation so far when it has become another, on a thread of the service; as
  /// Done, it must not throw, nor take long. What is found in the end may differ.
  std::function<void(std::string)> on_progress = nullptr;
};

/// Phrases as requests share them; null where there are none.
std::shared_ptr<const std::vector<std::string>> shared_phrases(std::vector<std::string> phrases);

/// Takes markup and what is kept out of the text of a request. Throws UsageError as MarkedText and KeepRules
/// do, and where the request asks for alignments, too.
void set_apart(TranslationRequest& request);

/// There is no memory for a sentence: it takes too much, or other work has taken it.
class OutOfMemory : public SentenceError {
 public:
  /// Of so many tokens; 0 where it could not even be encoded.
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

struct TranslationResult {
  /// At least one, at most the settings' n_best (or that of minimum_risk), best first; that of a text without
  /// tokens is empty. None where the request failed.
  NBest translations;
  /// Tokens that were translated, and of the best translation, special tokens not counted.
  std::int64_t source_tokens = 0, target_tokens = 0;
  /// Of a text that was cut, its tokens before; 0: more than were counted. See LengthLimit.
  std::optional<std::int64_t> truncated_from;
  /// Whether the request asked for several translations, however many there are.
  bool is_n_best = false;
  /// Settings that nobody asked for and that gave way to those of the request, and why a text was truncated
  /// that would be translated in parts, a line for each.
  std::vector<std::string> notices = {};
  /// Why there are no translations: a SentenceError, such as OutOfMemory, or what has ended all work.
  std::exception_ptr failure;
};

/// A request on its way, which one thread has at a time.
struct TranslationJob {
  std::uint64_t id = 0;
  TranslationRequest request;
  std::function<void(TranslationResult)> done;
  std::int64_t rows = 0;         // estimated_rows() when it was submitted: encoding changes its text
  std::vector<int> source = {};  // ids, once it is encoded
  TranslationResult result = {};
  std::vector<std::int32_t> told = {};  // ids of what on_progress was told last
};
using JobPtr = std::shared_ptr<TranslationJob>;

}  // namespace nmt
