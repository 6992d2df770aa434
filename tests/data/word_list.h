// A vocabulary of another kind than SentencePiece's: a list of words.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>

#include "data/listed/listed_vocabulary.h"

namespace nmt::testing {

/// The words of a text behind the special tokens that Marian has, with `unused` rows behind them, as the
/// bytes of a file.
inline std::string word_list_of(const std::string& text, int unused = 0) {
  WordList words = {"</s>", "<unk>"};
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  const int rows = unused == 0 ? 0 : static_cast<int>(words.size()) + unused;
  return make_word_vocabulary(words, {.rows = rows}, "the words of a text").bytes();
}

}  // namespace nmt::testing
