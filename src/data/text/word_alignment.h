// Word alignments as aligners write them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/named.h"
#include "data/example.h"
#include "data/vocabulary/words.h"

namespace nmt {

/// Source and target words that belong together, counted from 0.
using WordAlignment = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Reads a line of Pharaoh's format, `source-target` pairs between spaces: "0-0 1-2". Throws Error, which
/// calls the line `place` ("'train.align', line 7"), for anything else.
WordAlignment parse_word_alignment(std::string_view line, const std::string& place);

/// What an alignment counts: words, as white space divides the text, or pieces of the best segmentation.
enum class AlignmentUnit : std::uint8_t { word, piece };
/// "words", "pieces".
template <>
struct Names<AlignmentUnit> {
  static constexpr std::array<Named<AlignmentUnit>, 2> kAll = {
      {{AlignmentUnit::word, "words"}, {AlignmentUnit::piece, "pieces"}}};
};

/// The links of the pieces of words that belong together: each piece of the one with each of the other. Words
/// may be other groups of pieces: `unit` says what they are, for messages. Throws Error, which calls the
/// alignment `place`, for words that a side does not have.
std::vector<Link> links_of(const WordAlignment& alignment, const Words& source, const Words& target,
                           AlignmentUnit unit, const std::string& place);

}  // namespace nmt
