// The words before and after the period that may end a sentence.
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
  std::size_t letters = 0, digits = 0, others = 0;  // characters in it; accents do not count

  bool is_number() const { return digits > 0 && letters == 0 && others == 0; }
  bool is_single_letter() const { return letters == 1 && digits == 0 && others == 0; }
  /// Whether it is at most two letters between periods or hyphens, again and again: U.S, J.-C, Ph.D.
  bool is_acronym() const;
  /// Whether it is a Roman number in capitals.
  bool is_roman() const;
  /// Whether it numbers the items of a list where it is all that stands before the period: 1, 12, 2.3, a, iv.
  bool is_enumerator() const;
};

/// The word that ends at a place of a sentence that begins at `begin`; empty where none does.
WordBefore word_before(std::string_view text, std::size_t begin, std::size_t end);

/// The kind of the longest abbreviation of which `last` is the last word: "B" of "z. B". `has_capitals`: see
/// Abbreviations::find().
Abbreviation abbreviation_of(std::string_view text, std::size_t begin, const WordBefore& last,
                             const Abbreviations& abbreviations, bool has_capitals);

/// What stands after the marks, quotation marks, brackets, and dashes aside.
struct Following {
  UChar32 first = 0;              // 0: nothing
  bool has_dash = false;          // before it
  bool is_abbreviated = false;    // a letter and a period
  std::string_view letters = {};  // the word
  std::string_view word = {};     // and its apostrophe: "L'"

  /// Whether it is a number, a Roman one too, or a symbol.
  bool is_number() const;
  /// Whether it usually is the first word of a sentence.
  bool begins_sentences(const Abbreviations& abbreviations) const;
  /// Whether it is such a word that names have, too: Le Pen, Los Angeles.
  bool is_name_particle() const;
};

Following following(std::string_view text, std::size_t place);

}  // namespace nmt::sentences
