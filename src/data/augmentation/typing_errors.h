// Typing errors in sources.
#pragma once

#include "data/augmentation/aligned_words.h"
#include "data/augmentation/draws.h"

namespace nmt {

/// Puts a typing error into a source word, and into each of the others with probability 0.1. An error swaps
/// two neighboring letters, drops one, repeats one, writes a double letter once, replaces a letter by its
/// neighbor on the keyboard or adds this, leaves out the space before the next word, or adds a space within
/// the word. All kinds are equally likely among those that are possible for a word. Words without letters
/// and tags stay.
void mistype(AlignedWords& pair, Draws& draws);

}  // namespace nmt
