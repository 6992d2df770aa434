// The words of a segment.
#pragma once

#include <string_view>
#include <vector>

#include "metrics/ngrams.h"

namespace nmt {

/// The words of `text`, between white space (see white_space.h).
std::vector<std::string_view> words_of(std::string_view text);

/// Numbers for words: equal words have equal numbers. The words that it has seen must outlive it.
class WordNumbers {
 public:
  Symbols operator()(const std::vector<std::string_view>& words);

 private:
  struct Slot {
    std::string_view word;  // none: the slot is free
    std::uint32_t number = 0;
  };

  /// For one word more, whatever it is.
  void make_room();
  /// The slot of that word, or the free one where it belongs.
  Slot& find(std::string_view word);

  std::vector<Slot> slots_;  // a hash table with linear probing
  std::uint32_t known_ = 0;
};

}  // namespace nmt
