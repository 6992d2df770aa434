// Letter case of whole sentences: capitals, headlines, small letters.
#pragma once

#include "data/augmentation/aligned_words.h"

namespace nmt {

// Letters change by Unicode's full mappings for no particular language: "Straße" becomes "STRASSE".

/// Writes both sides in capitals.
void write_in_capitals(AlignedWords& pair);
/// Capitalizes the first letter of each word on both sides, as in a headline. Other letters stay.
void write_as_title(AlignedWords& pair);
/// Writes the source in small letters. The target stays: a source that was typed carelessly has the same
/// translation.
void write_in_small_letters(AlignedWords& pair);

}  // namespace nmt
