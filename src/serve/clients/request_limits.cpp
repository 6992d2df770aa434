#include "serve/clients/request_limits.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/utf8.h"
#include "translate/search/setting_table.h"

namespace nmt {
namespace {

// Bytes of a sentence without its text, bytes of each of its translations, and the number of copies of its
// text that exist at a time: in requests, translations, JSON and the answer.
constexpr std::int64_t kOfSentence = 3072, kOfTranslation = 512, kCopiesOfText = 6;
// Bytes of the score of a token, as a token and as a word, in a result and in JSON.
constexpr std::int64_t kOfScoredToken = 600;
constexpr std::int64_t kBytesOfToken = 4;  // of text
// Bytes of the estimate of a translation without the texts, whose copies are in the result and in JSON.
constexpr std::int64_t kOfEstimate = 256, kCopiesOfJudgedText = 4;
// Bytes of a tag, besides its text, in a MarkedText and while it is inserted into a translation.
constexpr std::int64_t kOfTag = 256;
// Bytes of a character of a constraint: the tokens that spell it, as it is and capitalized.
constexpr std::int64_t kOfConstraintCharacter = 1024;

/// Returns how many phrases there are, and characters in them.
PhraseSize size_of(const std::vector<std::string>& phrases) {
  PhraseSize size{.phrases = std::ssize(phrases), .characters = 0};
  for (const std::string& phrase : phrases)
    size.characters += static_cast<std::int64_t>(characters_in(phrase));
  return size;
}

PhraseSize size_of(const std::vector<Alternatives>& constraints) {
  PhraseSize size{.phrases = 0, .characters = 0};
  for (const Alternatives& alternatives : constraints) {
    const auto [phrases, characters] = size_of(alternatives);
    size.phrases += phrases;
    size.characters += characters;
  }
  return size;
}

/// Throws UsageError if there are too many phrases, or too many characters in them.
void check_phrases(const char* name, const PhraseSize& size, const PhraseSize& most) {
  const auto check = [name](std::int64_t count, const char* what, std::int64_t limit) {
    if (count > limit) throw UsageError("'{}' has {} {}; a request has at most {}", name, count, what, limit);
  };
  check(size.phrases, "phrases", most.phrases);
  check(size.characters, "characters", most.characters);
}

/// Throws UsageError for a value above `most`, unless it is the default.
void check_setting(const char* name, double value, double most, double usual) {
  most = std::max(most, usual);
  if (value > most) throw UsageError("'{}' is {}; a request has at most {}", name, value, most);
}

void check_search(const SearchSettings& search, const SettingFacts& n_best, const SearchSettings& usual) {
  const auto check = [](const SettingFacts& facts, const auto& value, const auto& usual_value) {
    if constexpr (requires { static_cast<double>(value); }) {
      if (facts.most_in_request > 0)
        check_setting(facts.name, static_cast<double>(value), facts.most_in_request,
                      static_cast<double>(usual_value));
    }
  };
  // First, as the beam may be that wide because of these.
  check(n_best, search.n_best, usual.n_best);
  check(kBeamGroups, search.beam_groups, usual.beam_groups);
  each_search_setting(check, search, usual);
  check_setting("n_best' times 'beam", search.width(), kMostOfAlternatives, usual.width());
}

}  // namespace

void check_limits(const TranslationRequest& request, const SearchSettings& usual) {
  check_search(*request.search, request.minimum_risk ? kCandidates : kNBest, usual);
  check_setting(kContext.name, static_cast<double>(request.context.most), kContext.most_in_request, 0);
  check_phrases("constraints", size_of(request.constraints), kConstraintLimits);
  if (request.avoid) check_phrases("avoid", size_of(*request.avoid), kAvoidLimits);
}

std::int64_t memory_of_sentence(const TranslationRequest& request, std::size_t text_bytes,
                                std::int64_t most_tokens) {
  const auto text = static_cast<std::int64_t>(text_bytes);
  const std::int64_t tokens = std::min(text / kBytesOfToken + 1, most_tokens);
  std::int64_t translation = kOfTranslation + kCopiesOfText * tokens * kBytesOfToken;
  if (request.score_tokens) translation += kOfScoredToken * tokens;
  if (request.align) translation += static_cast<std::int64_t>(sizeof(double)) * (tokens + 1) * (tokens + 1);
  const std::int64_t constraints = kOfConstraintCharacter * size_of(request.constraints).characters;
  return kOfSentence + kCopiesOfText * text + request.search->n_best * translation + constraints;
}

std::int64_t memory_of_terms(const std::vector<FoundTerm>& terms) {
  std::int64_t characters = 0;
  for (const FoundTerm& term : terms) characters += size_of(term.targets).characters;
  return kOfConstraintCharacter * characters;
}

std::int64_t memory_of_estimates(const TranslationRequest& request, std::size_t text_bytes,
                                 std::int64_t most_tokens) {
  const auto text = static_cast<std::int64_t>(text_bytes);
  const std::int64_t translation = kBytesOfToken * std::min(text / kBytesOfToken + 1, most_tokens);
  return request.search->n_best * (kOfEstimate + kCopiesOfJudgedText * (text + translation));
}

std::int64_t memory_of_body(std::size_t bytes, std::int64_t tags) {
  return 2 * static_cast<std::int64_t>(bytes) + kOfTag * tags;
}

std::int64_t memory_of_tags(const TranslationRequest& request, std::size_t body_bytes) {
  if (!request.has_markup) return 0;
  return request.search->n_best * kCopiesOfText * static_cast<std::int64_t>(body_bytes);
}

std::int64_t markup_in(const std::vector<std::string>& texts) {
  std::int64_t count = 0;
  for (const std::string& text : texts)
    count += std::ranges::count(text, '<') + std::ranges::count(text, '&');
  return count;
}

std::int64_t characters_of(const TranslationRequest& request) {
  const auto count = [&request](const std::string& text) {  // with parts that were set apart
    return characters_in(request.kept ? request.kept->restored(text) : text);
  };
  std::size_t characters = count(request.text) + count(request.prefix);
  for (const Alternatives& alternatives : request.constraints) {
    for (const std::string& text : alternatives) characters += characters_in(text);
  }
  if (request.avoid) {
    for (const std::string& text : *request.avoid) characters += characters_in(text);
  }
  return static_cast<std::int64_t>(characters);
}

}  // namespace nmt
