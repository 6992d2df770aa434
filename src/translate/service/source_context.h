// Searches for a sentence together with the sentences before it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "translate/search/length_limit.h"
#include "translate/search/strategy.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// Throws UsageError if a vocabulary has no separator for the sentences of a context (see separator_of()).
void check_separators(const Vocabularies& vocabularies);

/// Returns as many of the last sentences of the context of a request as fit, with the source, into the length
/// of the sentences that models were trained with. Returns none for a request with a prefix, constraints,
/// alternatives or a minimum length, as they concern the sentence alone. `vocabularies` of the request is not
/// null. Throws SentenceError if they have no separators.
SourceContext source_context(const TranslationRequest& request, const std::vector<int>& source,
                             const LengthLimit& limit);

/// Returns the part of a hypothesis that translates its last sentence, with the score of the whole. Returns
/// nothing if it has not `sentences` sentences before, or if the last one is empty. `separator`: that of the
/// target.
std::optional<Hypothesis> of_last_sentence(const Hypothesis& hypothesis, std::int64_t sentences,
                                           std::int32_t separator);

}  // namespace nmt
