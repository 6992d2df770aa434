// What one request may ask of a server.
#pragma once

#include "translate/service/translation_request.h"

namespace nmt {

/// Phrases of `constraints`, all alternatives counted, and of `avoid`. Each hypothesis is compared with all
/// of them at each step, while the sentences of others wait.
inline constexpr std::int64_t kMostConstraints = 100;
inline constexpr std::int64_t kMostAvoided = 1000;

/// Hypotheses, as `beam`, `n_best` and `candidates`; and of alternatives, each of which has a beam, all
/// together.
inline constexpr std::int64_t kMostHypotheses = 64;
inline constexpr std::int64_t kMostOfAlternatives = 256;

/// How long a translation must or may be, whatever its source: `min_length`, `max_length_extra` and
/// `max_length_factor`.
inline constexpr std::int64_t kMostMinLength = 1000;
inline constexpr double kMostLengthExtra = 1000;
inline constexpr double kMostLengthFactor = 10;

/// Throws UsageError, which names the limit, where a request asks for more. Of a setting of the search it may
/// ask for as much as `usual` has, what the model is searched with by itself.
void check_limits(const TranslationRequest& request, const SearchSettings& usual);

/// The characters of all its texts: what is to be translated, to begin with, to occur and to be avoided.
std::int64_t characters_of(const TranslationRequest& request);

}  // namespace nmt
