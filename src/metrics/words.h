// The words of a segment.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "metrics/ngrams.h"

namespace nmt {

/// Implements white_space_at() for places that are not a printable ASCII character.
std::size_t rare_white_space_at(std::string_view text, std::size_t position);

/// Returns the number of bytes of the white-space character at `text[position]`; 0 if there is none. `text`
/// is UTF-8.
inline std::size_t white_space_at(std::string_view text, std::size_t position) {
  const char first = text[position];
  if (first >= ' ' && first <= '~') return first == ' ' ? 1 : 0;
  return rare_white_space_at(text, position);
}

/// Returns `text` without white space at its end.
std::string_view strip_end(std::string_view text);

/// Returns `text` without white space at its ends.
std::string_view strip(std::string_view text);

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
