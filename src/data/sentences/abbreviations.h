// Abbreviations of languages, whose periods end no sentence, and words that usually begin one.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nmt::sentences {

/// The rules of a language; see Abbreviations for the kinds.
struct LanguageRules {
  std::string_view codes;  // of ISO 639-1
  bool has_ordinals = false;
  std::string_view always = {};
  std::string_view usual = {};
  std::string_view before_number = {};
  std::string_view before_digit = {};
  std::string_view endings = {};  // word endings that make usual abbreviations: Goethestr.
  std::string_view of_time = {}, after_times = {};
  std::string_view openings = {};  // capitalized words that usually begin sentences
};

/// Abbreviations of all languages in names from English.
inline constexpr LanguageRules kCommonRules{
    .codes = "",
    .always = "Mr Mrs Ms Dr Prof",
    .usual = "St Jr Sr Inc Ltd Corp Co U.S U.S.A U.K U.N Ph.D Yahoo!"};

std::span<const LanguageRules> germanic_languages();
std::span<const LanguageRules> romance_languages();
std::span<const LanguageRules> slavic_languages();
std::span<const LanguageRules> other_languages();

/// The meaning of the period after a word.
enum class Abbreviation {
  none,           // the end of a sentence
  always,         // never the end: more of the sentence follows: Mr., e.g.
  usual,          // the end only before a word that usually begins a sentence: Inc., U.S.
  before_number,  // the end unless a number follows: p. 12, vol. III
  before_digit,   // likewise, but also a word, after which "I" is none: No. 5
  of_time,        // the end unless a number, a day or a time zone follows: p.m.
};

/// The abbreviations of a language, without their final periods and without spaces ("z.B").
class Abbreviations {
 public:
  /// `language`: a code of ISO 639-1 ("en"). An empty code means the abbreviations of all languages; a
  /// language without a table has none.
  explicit Abbreviations(std::string_view language);

  /// Adds abbreviations from a file: one per line, without its final period, with #NUMERIC_ONLY# after those
  /// that count only before numbers, and comments that begin with #. The prefix files of Moses have this
  /// format. Throws Error if the file cannot be read, UsageError for an invalid line.
  void add_file(const std::string& path);

  /// Returns the kind of a word without its final period. Finds "Approx" as "approx" and "MR" as "Mr", and if
  /// `has_capitals` is false, as in text without capital letters, also "mr" as "Mr".
  Abbreviation find(std::string_view word, bool has_capitals = true) const;
  /// Whether a capitalized word is usually the first one of a sentence: "The", "He", "However".
  bool begins_sentences(std::string_view word) const { return openings_.contains(word); }
  /// Whether a word continues a time of day: "Monday", "EST".
  bool follows_time(std::string_view word) const { return after_times_.contains(word); }
  /// Whether a number with a period may be an ordinal number ("3. Oktober").
  bool has_ordinals() const { return has_ordinals_; }

 private:
  /// Adds a table of a language; `is_one_of_many`: to tables of other languages.
  void add(const LanguageRules& rules, bool is_one_of_many);
  void add(std::string_view words, Abbreviation kind, bool is_one_of_many);

  std::map<std::string, Abbreviation, std::less<>> kinds_;
  std::set<std::string, std::less<>> openings_, after_times_;
  std::vector<std::string> endings_;
  bool has_ordinals_ = false;
};

}  // namespace nmt::sentences
