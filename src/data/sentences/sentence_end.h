// Decides whether marks end a sentence.
#pragma once

#include <cstddef>
#include <string_view>

#include "data/sentences/abbreviations.h"

namespace nmt::sentences {

/// A group of adjacent marks.
struct FinalMarks {
  enum class Kind {
    period,     // a single one, possibly of an abbreviation
    ellipsis,   // several periods or …
    full_stop,  // a question or exclamation mark, or a full stop that has no other use
  };

  std::size_t begin = 0, end = 0;
  std::size_t closed = 0;  // end of the quotation marks, brackets and emoji that belong to the sentence
  Kind kind = Kind::period;
  bool needs_space = true;  // whether a space must precede the next sentence; false after 。

  bool has_closing() const { return closed > end; }
};

/// Whether a final mark is at a place of the text.
bool is_final_mark(std::string_view text, std::size_t place);

/// Returns the marks that begin at a place. `has_open_quote`: whether an odd number of " precedes it in the
/// line.
FinalMarks final_marks_at(std::string_view text, std::size_t place, bool has_open_quote);

/// A line of text.
struct Line {
  std::string_view text;
  bool has_capitals = true;  // if false, lower-case letters begin sentences
};

/// Whether these marks end the sentence that begins at `begin` and another one follows in the line.
bool ends_sentence(const Line& line, std::size_t begin, const FinalMarks& marks,
                   const Abbreviations& abbreviations);

}  // namespace nmt::sentences
