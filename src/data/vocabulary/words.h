// The words that the pieces of a text belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// The word of each piece, from 0, and the number of words in the text (see words_in()). Pieces that belong
/// to no word, such as EOS, have the number of words instead. A word may have no pieces, as normalization
/// deletes some characters.
struct Words {
  std::vector<std::int64_t> of_piece;
  std::int64_t count = 0;
};

/// Returns the words of pieces at these places of a text: the word that contains the byte, or else the next
/// word. Pieces at kNowhere, or after the last word, belong to no word. All numbers of words come from this
/// function.
Words words_at(std::string_view text, std::span<const std::size_t> places);

/// Returns the words of a text and its ids, which may be truncated. Language tokens belong to no word, unless
/// the text itself contains them.
Words words_of(const Vocabulary& vocabulary, std::string_view text, const std::vector<int>& ids);
/// Returns the words of the pieces of a text.
Words words_of(std::string_view text, const std::vector<TextPiece>& pieces);
/// Returns the words of a model's output, in the text that decode() gives. Special tokens belong to no word;
/// the unknown piece is a word, " ⁇ ", unless it is special.
Words words_of(const Vocabulary& vocabulary, const std::vector<int>& ids);

}  // namespace nmt
