// Decides whether marks end a sentence.
#pragma once

#include <cstddef>
#include <string_view>

#include "data/sentences/abbreviations.h"
#include "data/sentences/final_marks.h"

namespace nmt::sentences {

/// A line of text.
struct Line {
  std::string_view text;
  bool has_capitals = true;  // if false, lower-case letters begin sentences
};

/// Whether these marks end the sentence that begins at `begin` and another one follows in the line.
bool ends_sentence(const Line& line, std::size_t begin, const FinalMarks& marks,
                   const Abbreviations& abbreviations);

}  // namespace nmt::sentences
