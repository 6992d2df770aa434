// What one request may ask of a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "translate/service/translation_request.h"

namespace nmt {

/// Phrases of `constraints`, all alternatives counted, and of `avoid`. Each hypothesis is compared with all
/// of them at each step, while the sentences of others wait.
inline constexpr std::int64_t kMostConstraints = 100;
inline constexpr std::int64_t kMostAvoided = 1000;

/// Hypotheses of all `alternatives` together, each of which has a beam of its own.
inline constexpr std::int64_t kMostOfAlternatives = 256;

/// Throws UsageError, which names the limit, where a request asks for more than this, or for more of a
/// setting of the search than SettingFacts::most_in_request. Of a setting of the search it may ask for as
/// much as `usual` has, what the model is searched with by itself.
void check_limits(const TranslationRequest& request, const SearchSettings& usual);

/// How much of a server's room requests take.
struct RequestSize {
  std::int64_t sentences = 0;
  std::int64_t bytes = 0;  // of memory, about: from when a request is read until its answer is sent
};

/// About how many bytes a sentence takes: its text, what the search finds, and the answer that is made of it.
/// `text_bytes`: of its text; `most_tokens`: how many tokens of it are translated at most.
std::int64_t memory_of_sentence(const TranslationRequest& request, std::size_t text_bytes,
                                std::int64_t most_tokens);
/// About how many bytes of memory the body of a request takes. `tags`: see markup_in().
std::int64_t memory_of_body(std::size_t bytes, std::int64_t tags);
/// About how many bytes of memory the tags of a body take in all translations that a request asks for.
std::int64_t memory_of_tags(const TranslationRequest& request, std::size_t body_bytes);

/// How many tags and character references these texts may have.
std::int64_t markup_in(const std::vector<std::string>& texts);

/// The characters of all its texts: what is to be translated, to begin with, to occur and to be avoided.
std::int64_t characters_of(const TranslationRequest& request);

}  // namespace nmt
