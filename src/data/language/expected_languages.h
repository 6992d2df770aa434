// The languages that parallel text should be in.
#pragma once

#include <unicode/uscript.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/languages.h"

namespace nmt {

/// The languages of a source and its target, or of targets alone. The classifier that comes with nmt
/// identifies languages; doc/serving.md lists those that it knows.
class ExpectedLanguages {
 public:
  ExpectedLanguages() = default;
  /// Parses "en,de", or "de" for targets alone; sources may then be in any language. Returns nothing for any
  /// other text, and for languages that the classifier does not know.
  static std::optional<ExpectedLanguages> parse(std::string_view text);
  /// Returns the text that parse() reads.
  const std::string& text() const { return text_; }

  /// Returns the probability, from 0 to 1, that a text is in the language of its side; 1 if it has too few
  /// letters to tell, or if the side may be in any language.
  double probability(Side side, std::string_view text) const;
  /// Returns the share of the letters of a text, from 0 to 1, that are in a script of the language of its
  /// side; 1 if there are no letters, or if the side may be in any language.
  double script_share(Side side, std::string_view text) const;

  bool operator==(const ExpectedLanguages& other) const { return text_ == other.text_; }

 private:
  struct Language {
    std::vector<std::size_t> labels;   // of the classifier; none: any language
    std::vector<UScriptCode> scripts;  // none: any script
  };
  static std::optional<Language> language(const std::string& code);
  const Language& of(Side side) const { return sides_[side == Side::source ? 0 : 1]; }

  std::string text_;
  std::array<Language, 2> sides_;  // source, target
};

}  // namespace nmt
