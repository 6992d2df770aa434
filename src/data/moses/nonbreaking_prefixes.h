// Abbreviations whose period Moses' tokenizer leaves with them.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace nmt {

/// What a period may follow without ending a sentence: initials, titles, ordinals, other abbreviations. A
/// language without a list of its own has English ones, as in Moses.
class NonbreakingPrefixes {
 public:
  /// The prefixes of a language, by its code of two letters.
  static const NonbreakingPrefixes& of(std::string_view language);

  /// Whether a word, without its period, is one.
  bool contains(const std::string& word) const { return always_.contains(word); }
  /// Whether it is one before a number alone, as "No" is.
  bool contains_before_number(const std::string& word) const { return before_numbers_.contains(word); }

 private:
  std::set<std::string, std::less<>> always_, before_numbers_;
};

}  // namespace nmt
