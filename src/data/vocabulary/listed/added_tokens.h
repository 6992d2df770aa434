// Tokens that stand for themselves in a text, such as <extra_id_0> in T5 and <2de> in MADLAD-400.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/listed/word_list.h"

namespace nmt {

/// A token that is found in a text.
struct FoundToken {
  std::string_view text;
  int id = 0;
  std::size_t place = 0;  // its first byte
};

/// Finds tokens in texts, before these are divided into pieces.
class AddedTokens {
 public:
  /// `ids`: those of the tokens in the list. Throws Error with the reason alone if one has no word.
  AddedTokens(const std::vector<int>& ids, const WordIndex& words);

  /// Returns the first token from the byte `from` on; of several at one place, the longest.
  std::optional<FoundToken> find(std::string_view text, std::size_t from) const;

 private:
  std::map<std::string, int, std::less<>> ids_;
  std::set<std::size_t, std::greater<>> lengths_;
  std::string first_;  // the first byte of each token
};

}  // namespace nmt
