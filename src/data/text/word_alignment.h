// Word alignments as aligners write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/example.h"
#include "data/vocabulary/words.h"

namespace nmt {

/// Source and target words that belong together, counted from 0.
using WordAlignment = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Reads a line of Pharaoh's format, `source-target` pairs between blanks: "0-0 1-2". Throws Error, which
/// calls the line `place` ("'train.align', line 7"), for anything else.
WordAlignment parse_word_alignment(std::string_view line, const std::string& place);

/// The links of the pieces of words that belong together: each piece of the one with each of the other.
/// Throws Error, which calls the alignment `place`, for words that a side does not have.
std::vector<Link> links_of(const WordAlignment& alignment, const Words& source, const Words& target,
                           const std::string& place);

}  // namespace nmt
