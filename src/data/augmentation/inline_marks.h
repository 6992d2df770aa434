// Tags, placeholders and other text that a translation carries over, at words that are aligned.
#pragma once

#include <cstdint>

#include "data/augmentation/aligned_words.h"
#include "data/augmentation/draws.h"

namespace nmt {

/// The ways to mark a source word and the target word that translates it. Words that are equal on both sides,
/// such as names and numbers, and words with several links stay. Punctuation at the beginning and at the end
/// of a word does not count as part of it.
enum class InlineMark : std::uint8_t {
  tag,          // both get the same tags around them: "<b>house</b>", "<b>Haus</b>"
  placeholder,  // the same placeholder replaces both: "{name}"
  copy          // the same 1 to 3 noise words follow both
};

/// Marks each pair of such words with this probability.
void mark(AlignedWords& pair, InlineMark what, double probability, Draws& draws);

}  // namespace nmt
