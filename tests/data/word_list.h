// A vocabulary that is not from SentencePiece: a list of words.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>

#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt::testing {

/// Returns the bytes of a file with Marian's special tokens, the words of a text, and `unused` rows.
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
