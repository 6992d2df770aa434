// The words that the pieces of a text belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// The word of each piece, from 0 on, and the number of words in the text (see words_in()). Pieces of no word
/// have the number of words, as EOS does. A word may have no pieces: normalization deletes some characters.
struct Words {
  std::vector<std::int64_t> of_piece;
  std::int64_t count = 0;
};

/// The words of pieces that stand at these places of a text: the word that holds the byte at a place, or else
/// the next word. Pieces at kNowhere, or after the last word, are of no word. All numbers of words come from
/// here.
Words words_at(std::string_view text, std::span<const std::size_t> places);

/// The words of a text that is given and its ids, which may be truncated. Tokens of languages are of no word,
/// unless the text itself has them.
Words words_of(const Vocabulary& vocabulary, std::string_view text, const std::vector<int>& ids);
/// Likewise of its pieces.
Words words_of(std::string_view text, const std::vector<TextPiece>& pieces);
/// The words of what a model has written, in the text that decode() makes of it. Special tokens are of no
/// word; the unknown piece is a word, " ⁇ ", unless it is special.
Words words_of(const Vocabulary& vocabulary, const std::vector<int>& ids);

}  // namespace nmt
