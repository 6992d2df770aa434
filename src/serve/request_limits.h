// What one request may ask of a server.
#pragma once

#include "translate/service/translation_request.h"

namespace nmt {

/// Phrases of `constraints`, all alternatives counted, and of `avoid`. Each hypothesis is compared with all
/// of them at each step, while the sentences of others wait.
inline constexpr std::int64_t kMostConstraints = 100;
inline constexpr std::int64_t kMostAvoided = 1000;

/// Throws UsageError, which names the limit, where a request asks for more.
void check_limits(const TranslationRequest& request);

/// The characters of all its texts: what is to be translated, to begin with, to occur and to be avoided.
std::int64_t characters_of(const TranslationRequest& request);

}  // namespace nmt
