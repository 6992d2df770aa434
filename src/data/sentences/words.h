// The words before and after a period that may end a sentence.
#pragma once

#include <unicode/umachine.h>

#include <cstddef>
#include <string_view>

#include "data/sentences/abbreviations.h"

namespace nmt::sentences {

/// A word before a period, without quotation marks and brackets around it.
struct WordBefore {
  std::string_view text;
  std::size_t begin = 0;  // its place
  UChar32 first = 0;
  std::size_t letters = 0, digits = 0, others = 0;  // numbers of characters; accents do not count

  bool is_number() const { return digits > 0 && letters == 0 && others == 0; }
  bool is_single_letter() const { return letters == 1 && digits == 0 && others == 0; }
  /// Whether the word consists of parts of at most two letters between periods or hyphens: U.S, J.-C, Ph.D.
  bool is_acronym() const;
  /// Whether the word is a Roman number in capitals.
  bool is_roman() const;
  /// Whether the word is a list number if nothing else precedes the period: 1, 12, 2.3, a, iv.
  bool is_enumerator() const;
};

/// Returns the word that ends at `end` of a sentence that begins at `begin`; empty if there is none.
WordBefore word_before(std::string_view text, std::size_t begin, std::size_t end);

/// Returns the kind of the longest abbreviation whose last word is `last`: "B" of "z. B". `has_capitals`: see
/// Abbreviations::find().
Abbreviation abbreviation_of(std::string_view text, std::size_t begin, const WordBefore& last,
                             const Abbreviations& abbreviations, bool has_capitals);

/// The text after the marks, without quotation marks, brackets, and dashes.
struct Following {
  UChar32 first = 0;              // first character; 0: none
  bool has_dash = false;          // whether a dash precedes it
  bool is_abbreviated = false;    // whether it is a letter and a period
  std::string_view letters = {};  // the word
  std::string_view word = {};     // with its apostrophe: "L'"
  bool has_apostrophe = false;    // whether one precedes it, and a capitalized word follows: 's Morgens

  /// Whether it is a number, also a Roman one, or a symbol.
  bool is_number() const;
  /// Whether it is a word that usually begins a sentence. One with an apostrophe before it may be in lower
  /// case.
  bool begins_sentences(const Abbreviations& abbreviations) const;
  /// Whether it is such a word that also occurs in names: Le Pen, Los Angeles.
  bool is_name_particle() const;
};

Following following(std::string_view text, std::size_t place);

}  // namespace nmt::sentences
