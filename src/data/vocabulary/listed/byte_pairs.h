// Byte pair encoding: merges of pairs, and texts in pieces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/vocabulary/listed/word_list.h"

namespace nmt {

/// A symbol, and the number of input symbols that it is made of.
struct MergedSymbol {
  int id = 0;
  std::size_t count = 1;
};

/// Merges pairs of symbols as Sennrich et al. (2016) do: repeatedly merges, from left to right, all
/// occurrences of the pair that was added first among those present, until none is left. Symbols are numbers
/// from 0; a negative symbol is never merged.
class PairMerges {
 public:
  /// Adds a pair and its result. The first of equal pairs counts.
  void add(int left, int right, int result);

  std::vector<MergedSymbol> merge(const std::vector<int>& symbols) const;

 private:
  friend class MergingSymbols;
  struct Merge {
    int rank = 0, result = 0;
  };
  /// Returns the merge of two symbols; null if there is none.
  const Merge* find(int left, int right) const;
  static std::uint64_t key(int left, int right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }

  std::unordered_map<std::uint64_t, Merge> merges_;
};

/// Divides a text into parts that are encoded separately and that together are the text. A part is a
/// contraction ('s, 't, 're, 've, 'm, 'll, 'd), a run of letters, of numbers, or of other characters, or a
/// run of white space. One space before a run of letters, numbers or other characters belongs to that run.
std::vector<std::string_view> parts_of(std::string_view text);

/// Returns bytes as lists write them, with one character per byte: U+0021 to U+007E, U+00A1 to U+00AC and
/// U+00AE to U+00FF stand for themselves, the other bytes in order become U+0100, U+0101 and so on; a space
/// is U+0120.
std::string written_bytes(std::string_view bytes);
/// Returns the bytes that such characters stand for; other characters stay as they are.
std::string read_bytes(std::string_view written);

/// Merges pairs of tokens in the order of a list of merges.
class BytePairs {
 public:
  /// `merges`: merges.txt, with one pair of tokens per line and an optional first line `#version`. `words`:
  /// all tokens. Throws Error with the reason alone for a malformed line and for tokens that are not words.
  BytePairs(std::string_view merges, const WordIndex& words);

  /// Returns the ids of the tokens of a part of a text with the number of bytes of each; `unknown` for bytes
  /// that are not words.
  std::vector<MergedSymbol> encode(std::string_view part, int unknown) const;

 private:
  std::vector<int> bytes_;  // ids of the words of one byte; -1: none
  PairMerges merges_;
};

}  // namespace nmt
