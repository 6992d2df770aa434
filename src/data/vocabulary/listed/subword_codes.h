// BPE as applied by subword-nmt to words.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/vocabulary/listed/byte_pairs.h"

namespace nmt {

/// Codes learned by subword-nmt: pairs of symbols in the order of merging.
class SubwordCodes {
 public:
  /// Reads a file of codes: an optional line `#version: 0.2`, then one pair per line. Throws Error with the
  /// reason alone for another version and for a malformed line.
  explicit SubwordCodes(std::string_view codes);

  /// Returns the parts of a word, which together are the word.
  std::vector<std::string_view> divide(std::string_view word) const;

 private:
  int symbol(std::string text);
  /// Returns the number of a symbol; -1 for an unknown one.
  int find(const std::string& text) const;

  bool has_final_symbol_ = true;  // false in version 0.1, where the end of a word is a separate symbol
  std::unordered_map<std::string, int> symbols_;
  PairMerges merges_;
};

}  // namespace nmt
