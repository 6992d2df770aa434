// Tokens that no translation may hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

struct ForbiddenTokens {
  bool unknown_allowed = true;
  std::optional<std::string> file;            // a piece of the vocabulary a line
  std::vector<std::int32_t> suppressed = {};  // ids of the vocabulary, EOS not among them
};

/// The ids of the tokens of `target` that are forbidden, in rising order. Throws Error for a line of the file
/// that is no piece, or is EOS, and UsageError when nothing is left.
std::vector<std::int32_t> forbidden_ids(const ForbiddenTokens& forbidden, const Vocabulary& target,
                                        const JobContext& job = {});

}  // namespace nmt
