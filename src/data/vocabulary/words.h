// The words that pieces make up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// The word that each piece belongs to, counted from 0, and how many words there are. A word begins after
/// U+2581, which stands for a space; of a piece that holds several, the first counts. Pieces of no word have
/// the number of words, as EOS does.
struct Words {
  std::vector<std::int64_t> of_piece;
  std::int64_t count = 0;
};
Words words_of(const std::vector<std::string>& pieces);
/// The same where empty pieces stand for no text: they are of no word.
Words words_of_text(const std::vector<std::string>& pieces);
/// The same for a text and its ids, to which it may have been truncated. Tokens that stand for no text are of
/// no word, and neither is that of a language, unless the text has it itself.
Words words_of(const Vocabulary& vocabulary, std::string_view text, const std::vector<int>& ids);
/// The same for what a model has written, as decode() shows it: without special tokens, and the unknown piece
/// a word, unless it is one of them.
Words words_of(const Vocabulary& vocabulary, const std::vector<int>& ids);

}  // namespace nmt
