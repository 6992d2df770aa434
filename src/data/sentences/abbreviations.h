// Abbreviations of a language, whose periods end no sentence, and words that usually begin one.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/sentences/language_rules.h"

namespace nmt::sentences {

/// What the period after a word means.
enum class Abbreviation {
  none,           // the end of a sentence
  always,         // something always follows in the same sentence: Mr., e.g.
  usual,          // the end of a sentence only before a word that usually begins one: Inc., U.S.
  before_number,  // the end of a sentence unless a number follows: No. 5, p. 12
  of_time,        // the end of a sentence unless a number, a day or a time zone follows: p.m.
};

/// The abbreviations of a language, without their final periods and without spaces ("z.B").
class Abbreviations {
 public:
  /// `language`: a code of ISO 639-1 ("en"). For an empty code, the abbreviations of all languages; for a
  /// language without a table, none.
  explicit Abbreviations(std::string_view language);

  /// Adds abbreviations from a file: one a line, without its final period, #NUMERIC_ONLY# after those that
  /// count only before numbers, and comments that begin with #. The prefix files of Moses have this format.
  /// Throws Error for a file that cannot be read, UsageError for a line that is no abbreviation.
  void add_file(const std::string& path);

  /// The kind of a word without its final period. "Approx" is "approx", "MR" is "Mr", and where
  /// `has_capitals` is false, as in a text without capital letters, "mr" is, too.
  Abbreviation find(std::string_view word, bool has_capitals = true) const;
  /// Whether a capitalized word usually is the first one of a sentence: "The", "He", "However".
  bool begins_sentences(std::string_view word) const { return openings_.contains(word); }
  /// Whether a word continues a time of day: "Monday", "EST".
  bool follows_time(std::string_view word) const { return after_times_.contains(word); }
  /// Whether a number with a period may be an ordinal number ("3. Oktober").
  bool has_ordinals() const { return has_ordinals_; }

 private:
  /// Adds a table to those of other languages where `is_one_of_many`.
  void add(const LanguageRules& rules, bool is_one_of_many);
  void add(std::string_view words, Abbreviation kind, bool is_one_of_many);

  std::map<std::string, Abbreviation, std::less<>> kinds_;
  std::set<std::string, std::less<>> openings_, after_times_;
  std::vector<std::string> endings_;
  bool has_ordinals_ = false;
};

}  // namespace nmt::sentences
