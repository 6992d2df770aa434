// Searches for a sentence together with the sentences before it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "translate/search/length_limit.h"
#include "translate/search/strategy.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// Returns as many of the last sentences of the context of a request as fit, with the source, into the length
/// of the sentences that models were trained with. Returns none for a request with a prefix, constraints or
/// alternatives, as they concern the sentence alone. `vocabularies` of the request is not null, and they have
/// separators (see separator_of()).
SourceContext source_context(const TranslationRequest& request, const std::vector<int>& source,
                             const LengthLimit& limit);

/// Returns the part of a hypothesis that translates its last sentence, with the score of the whole. Returns
/// nothing if it has not `sentences` sentences before, or if the last one is empty. `separator`: that of the
/// target.
std::optional<Hypothesis> of_last_sentence(const Hypothesis& hypothesis, std::int64_t sentences,
                                           std::int32_t separator);

}  // namespace nmt
