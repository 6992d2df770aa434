// Tokens and phrases that no translation may hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "data/vocabulary/vocabulary.h"
#include "translate/search/strategy.h"

namespace nmt {

struct ForbiddenTokens {
  bool unknown_allowed = true;
  std::optional<std::string> file;  // a piece of the vocabulary a line, or several with blanks between
  std::vector<std::int32_t> suppressed = {};  // ids of the vocabulary, EOS not among them
  std::optional<std::string> phrase_file;     // a word or phrase a line, as text
  std::vector<std::string> phrases = {};      // as text, too
};

/// Tells a search what of `target` is forbidden. Throws Error for a line of the files, or a phrase, of which
/// nothing could be forbidden, and for EOS; and UsageError when no piece is left.
void take_forbidden(const ForbiddenTokens& forbidden, const Vocabulary& target, SearchSettings& search,
                    const JobContext& job = {});

}  // namespace nmt
