// Abbreviations that keep their period in Moses' tokenizer.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace nmt {

/// Words that may precede a period within a sentence: initials, titles, ordinals, other abbreviations. As in
/// Moses, a language without a list uses the English one.
class NonbreakingPrefixes {
 public:
  /// Returns the prefixes of a language, given by its code of two letters.
  static const NonbreakingPrefixes& of(std::string_view language);

  /// Whether a word, without its period, is a prefix.
  bool contains(const std::string& word) const { return always_.contains(word); }
  /// Whether a word is a prefix only before a number, such as "No".
  bool contains_before_number(const std::string& word) const { return before_numbers_.contains(word); }

 private:
  std::set<std::string, std::less<>> always_, before_numbers_;
};

}  // namespace nmt
