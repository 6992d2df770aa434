// Pieces that no translation may hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/vocabulary/vocabulary.h"

namespace nmt {

struct ForbiddenOptions {
  bool unknown_allowed = true;
  std::optional<std::string> file;  // a piece a line
};

/// The ids of the pieces of `target` that are forbidden, in rising order. Throws Error for a line of the file
/// that is no piece, or is the end mark, and UsageError when nothing is left.
std::vector<std::int32_t> forbidden_pieces(const ForbiddenOptions& options, const Vocabulary& target);

}  // namespace nmt
