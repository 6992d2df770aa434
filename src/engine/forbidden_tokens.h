// Tokens and phrases that no translation may include.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/vocabulary/vocabulary.h"
#include "translate/search/sentence_rules.h"

namespace nmt {

/// The tokens and phrases that are forbidden in translations.
struct ForbiddenTokens {
  bool unknown_allowed = true;
  std::optional<std::string> file;  // on each line a piece of the vocabulary, or several separated by spaces
  std::vector<std::int32_t> suppressed = {};  // ids of the vocabulary, without EOS
  std::optional<std::string> phrase_file;     // a word or phrase on each line, as text
  std::vector<std::string> phrases = {};      // also as text
};

/// Returns the tokens of `target` that are left, restricted to `shortlist` unless it is null. Throws Error
/// for EOS, and for a line of the files or a phrase that cannot match anything; throws UsageError if no piece
/// is left.
AllowedTokens allowed_tokens(const ForbiddenTokens& forbidden, std::shared_ptr<const Shortlist> shortlist,
                             const Vocabulary& target, const JobContext& job = {});

}  // namespace nmt
