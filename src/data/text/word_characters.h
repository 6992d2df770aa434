// The characters of words, as phrases and terms see them.
#pragma once

#include <unicode/uchar.h>

namespace nmt {

/// Whether words consist of such characters (Unicode Standard Annex 29), except in scripts that are written
/// without spaces.
inline bool is_word_character(UChar32 character) {
  switch (u_getIntPropertyValue(character, UCHAR_WORD_BREAK)) {
    case U_WB_ALETTER:
    case U_WB_HEBREW_LETTER:
    case U_WB_NUMERIC:
    case U_WB_EXTEND:
      return true;
    default:
      return false;
  }
}

}  // namespace nmt
