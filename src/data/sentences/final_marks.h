// The marks that sentences end with, and what closes together with them.
#pragma once

#include <cstddef>
#include <string_view>

namespace nmt::sentences {

/// Marks that stand together.
struct FinalMarks {
  enum class Kind {
    period,     // a single one, which may be of an abbreviation
    ellipsis,   // several periods or …
    full_stop,  // a question or exclamation mark, or a full stop that nothing else is written with
  };

  std::size_t begin = 0, end = 0;
  std::size_t closed = 0;  // the end of the quotation marks, brackets and emoji that belong to the sentence
  Kind kind = Kind::period;
  bool needs_space = true;  // before the next sentence; not after 。

  bool has_closing() const { return closed > end; }
};

/// Whether a final mark stands at a place of the text.
bool is_final_mark(std::string_view text, std::size_t place);

/// The marks that begin at a place. `has_open_quote`: whether an odd number of " stands before it in the
/// line.
FinalMarks final_marks_at(std::string_view text, std::size_t place, bool has_open_quote);

}  // namespace nmt::sentences
