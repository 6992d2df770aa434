// Moses' detokenizer: puts tokens together as text is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// How a token is written in the text.
struct PlacedToken {
  std::string text;           // without escapes
  bool space_before = false;  // whether a space stands before it

  bool operator==(const PlacedToken&) const = default;
};

/// Says how each token is written in text of a language ("en"), as detokenizer.perl of Moses 4.0 does. Tokens
/// may have escapes; what divides a word, "@-@", becomes "-".
std::vector<PlacedToken> moses_placed(const std::vector<std::string>& tokens, const std::string& language);

}  // namespace nmt
