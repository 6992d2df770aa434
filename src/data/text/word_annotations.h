// Annotations of the words of a pair: alignments in the format of word aligners, and loss weights of
// targets.
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

/// Throws Error, which calls the alignment `place`, for words that a side of so many words does not have.
/// Words may be other parts of a text: `unit` names them in messages.
void check_words(const WordAlignment& alignment, std::int64_t source, std::int64_t target, AlignmentUnit unit,
                 const std::string& place);

/// Returns the links between all pieces of aligned words. Words may be other groups of pieces, which
/// `unit` names. Throws Error as check_words() does.
std::vector<Link> links_of(const WordAlignment& alignment, const Words& source, const Words& target,
                           AlignmentUnit unit, const std::string& place);

/// Whether a number is a valid weight of a loss: finite and at least 0.
bool is_weight(float number);

/// Parses a line of weights separated by spaces: "0.5", or "1 0.2 1". Throws Error, which calls the line
/// `place` ("'train.weights', line 7"), for anything else.
std::vector<float> parse_weights(std::string_view line, const std::string& place);

/// Throws Error, which calls the weights `place`, unless so many weights fit a target of so many words: one,
/// one per word, or one more, for EOS.
void check_count(std::int64_t weights, std::int64_t words, const std::string& place);

/// Converts given weights to weights of the tokens of a target, EOS included. A single weight stays one for
/// all tokens; otherwise each token gets the weight of its word. An optional extra weight is for EOS and
/// tokens that belong to no word; it is 1 by default. Throws Error as check_count() does.
std::vector<float> token_weights(const std::vector<float>& given, const Words& target,
                                 const std::string& place);

}  // namespace nmt
