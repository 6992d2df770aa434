// Byte pair encoding of bytes, as GPT-2 introduced it (Radford et al., 2019): BART's vocabularies are of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/listed/pair_merges.h"
#include "data/listed/word_list.h"

namespace nmt {

/// The parts of a text that are encoded each by itself; together they are the text. A part is a contraction
/// ('s, 't, 're, 've, 'm, 'll, 'd), or letters, numbers, or other characters, in each case with the blank
/// before them, or white space but for that blank.
std::vector<std::string_view> parts_of(std::string_view text);

/// Bytes as they are written in lists: each is a character, U+0021 to U+007E, U+00A1 to U+00AC and U+00AE to
/// U+00FF by themselves, the others in order U+0100, U+0101 and so on; a blank is U+0120.
std::string written_bytes(std::string_view bytes);
/// The bytes that are written so; what stands for no byte stays as it is.
std::string read_bytes(std::string_view written);

/// Merges pairs of tokens, those that come first in a list first.
class BytePairs {
 public:
  /// `merges`: merges.txt, a pair of tokens a line, perhaps behind a line `#version`. `words`: all tokens.
  /// Throws Error with the reason alone for a line of another form, and for tokens that are no words.
  BytePairs(std::string_view merges, const WordIndex& words);

  /// The ids of the tokens of a part of a text, and how many bytes each has; `unknown` for bytes that are no
  /// words.
  std::vector<MergedSymbol> encode(std::string_view part, int unknown) const;

 private:
  std::vector<int> bytes_;  // ids of the words of one byte; -1: there is none
  PairMerges merges_;
};

}  // namespace nmt
