// BPE as subword-nmt applies it to words.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/listed/pair_merges.h"

namespace nmt {

/// The codes that subword-nmt has learned: pairs of characters and what they have become, the first to merge
/// first.
class SubwordCodes {
 public:
  /// Reads a file of codes: perhaps a line `#version: 0.2`, then a pair a line. Throws Error with the reason
  /// alone for another version, and for a line of another form.
  explicit SubwordCodes(std::string_view codes);

  /// The parts of a word, which together are the word.
  std::vector<std::string_view> divide(std::string_view word) const;

 private:
  int symbol(std::string text);
  /// The number of a symbol; -1: the codes do not have it.
  int find(const std::string& text) const;

  bool has_final_symbol_ = true;  // version 0.1: the end of a word is a symbol of its own
  std::unordered_map<std::string, int> symbols_;
  PairMerges merges_;
};

}  // namespace nmt
