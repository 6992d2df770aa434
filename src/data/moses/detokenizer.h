// Moses' detokenizer: joins tokens to text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// A token and the space before it in the text.
struct PlacedToken {
  std::string text;           // without escapes
  bool space_before = false;  // whether a space precedes it

  bool operator==(const PlacedToken&) const = default;
};

/// Returns how each token is written in text of a language ("en"), as detokenizer.perl of Moses 4.0 does.
/// Tokens may contain escapes; the hyphen mark "@-@" becomes "-".
std::vector<PlacedToken> moses_placed(const std::vector<std::string>& tokens, const std::string& language);

}  // namespace nmt
