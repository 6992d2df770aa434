// The words of a segment.
#pragma once

#include <string_view>
#include <vector>

#include "metrics/ngrams.h"

namespace nmt {

/// Returns the words of `text`, separated by white space (see white_space.h).
std::vector<std::string_view> words_of(std::string_view text);

/// Numbers words: equal words have equal numbers. The words must outlive this object.
class WordNumbers {
 public:
  Symbols operator()(const std::vector<std::string_view>& words);

 private:
  struct Slot {
    std::string_view word;  // none: the slot is free
    std::uint32_t number = 0;
  };

  /// Makes room for one more word.
  void make_room();
  /// Returns the slot of a word, or the free slot for it.
  Slot& find(std::string_view word);

  std::vector<Slot> slots_;  // a hash table with linear probing
  std::uint32_t known_ = 0;
};

}  // namespace nmt
