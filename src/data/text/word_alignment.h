// Word alignments in the format of word aligners.
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

/// Pairs of aligned source and target words, counted from 0.
using WordAlignment = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Parses a line in Pharaoh's format, `source-target` pairs separated by spaces: "0-0 1-2". Throws Error,
/// which calls the line `place` ("'train.align', line 7"), for anything else.
WordAlignment parse_word_alignment(std::string_view line, const std::string& place);

/// The unit that an alignment counts: words, which white space separates, or pieces of the best segmentation.
enum class AlignmentUnit : std::uint8_t { word, piece };
/// Names: "words", "pieces".
template <>
struct Names<AlignmentUnit> {
  static constexpr std::array<Named<AlignmentUnit>, 2> kAll = {
      {{AlignmentUnit::word, "words"}, {AlignmentUnit::piece, "pieces"}}};
};

/// Returns the links between all pieces of aligned words. Words may be other groups of pieces: `unit` names
/// them in messages. Throws Error, which calls the alignment `place`, for words that a side does not have.
std::vector<Link> links_of(const WordAlignment& alignment, const Words& source, const Words& target,
                           AlignmentUnit unit, const std::string& place);

}  // namespace nmt
