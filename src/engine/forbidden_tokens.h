// Tokens and phrases that no translation may include.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/vocabulary/vocabulary.h"
#include "translate/search/strategy.h"

namespace nmt {

/// The tokens and phrases that are forbidden in translations.
struct ForbiddenTokens {
  bool unknown_allowed = true;
  std::optional<std::string> file;  // on each line a piece of the vocabulary, or several separated by spaces
  std::vector<std::int32_t> suppressed = {};  // ids of the vocabulary, without EOS
  std::optional<std::string> phrase_file;     // a word or phrase on each line, as text
  std::vector<std::string> phrases = {};      // also as text
};

/// Forbids these tokens and phrases of `target` in a search. Throws Error for EOS, and for a line of the
/// files or a phrase that cannot match anything; throws UsageError if no piece is left.
void take_forbidden(const ForbiddenTokens& forbidden, const Vocabulary& target, SearchSettings& search,
                    const JobContext& job = {});

}  // namespace nmt
