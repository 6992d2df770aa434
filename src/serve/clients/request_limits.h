// Limits of a single request to a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "translate/service/translation_request.h"

namespace nmt {

/// A number of phrases, and of the characters in them.
struct PhraseSize {
  std::int64_t phrases, characters;
};
/// Limits of the phrases of `constraints`, counting all alternatives, and of `avoid`. The limits exist
/// because other clients wait while all ways to spell the phrases are looked up, and while each hypothesis is
/// compared with all phrases in each step. Hardly any translation is long enough for more characters of
/// constraints.
inline constexpr PhraseSize kConstraintLimits{.phrases = 100, .characters = 4000};
inline constexpr PhraseSize kAvoidLimits{.phrases = 1000, .characters = 64'000};

/// The maximum number of hypotheses of all `alternatives` together, each of which has a beam of its own.
inline constexpr std::int64_t kMostOfAlternatives = 256;

/// Throws UsageError, which names the limit, if a request asks for more than these limits, or for more of a
/// setting of the search than SettingFacts::most_in_request. The defaults of the model, `usual`, are always
/// allowed.
void check_limits(const TranslationRequest& request, const SearchSettings& usual);

/// The resources of a server that requests take.
struct RequestSize {
  std::int64_t sentences = 0;
  std::int64_t bytes = 0;  // of memory, approximately, from reading a request to sending its answer
};

/// Estimates the bytes of memory for a sentence: its text and constraints, the results of the search, and its
/// part of the answer. `text_bytes`: the length of the text; `most_tokens`: the maximum number of tokens that
/// are translated.
std::int64_t memory_of_sentence(const TranslationRequest& request, std::size_t text_bytes,
                                std::int64_t most_tokens);
/// Estimates the additional bytes of memory for the terms of a glossary that a sentence has.
std::int64_t memory_of_terms(const std::vector<FoundTerm>& terms);
/// Estimates the additional bytes of memory for a sentence whose translations are judged.
std::int64_t memory_of_estimates(const TranslationRequest& request, std::size_t text_bytes,
                                 std::int64_t most_tokens);
/// Estimates the bytes of memory for the body of a request. `tags`: see markup_in().
std::int64_t memory_of_body(std::size_t bytes, std::int64_t tags);
/// Estimates the bytes of memory for the tags of a body in all translations that a request asks for.
std::int64_t memory_of_tags(const TranslationRequest& request, std::size_t body_bytes);

/// Returns an upper bound of the number of tags and character references in these texts.
std::int64_t markup_in(const std::vector<std::string>& texts);

/// Returns the number of characters of all texts of a request: source text, prefix, constraints and phrases
/// to avoid.
std::int64_t characters_of(const TranslationRequest& request);

}  // namespace nmt
