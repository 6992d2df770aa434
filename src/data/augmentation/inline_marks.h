// Tags, placeholders and other text that a translation carries over, and translations of terms, at words that
// are aligned.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/augmentation/aligned_words.h"
#include "data/augmentation/draws.h"

namespace nmt {

/// The ways to mark a source word and the target word that translates it. Words that are equal on both sides,
/// such as names and numbers, and words with several links stay. Punctuation at the beginning and at the end
/// of a word does not count as part of it. A term may have several words; see annotate_term().
enum class InlineMark : std::uint8_t {
  tag,          // both get the same tags around them: "<b>house</b>", "<b>Haus</b>"
  placeholder,  // the same placeholder replaces both: "{name}"
  copy,         // the same 1 to 3 noise words follow both
  term          // the source word gets its translation: "__source__ houses __target__ Häuser __done__"
};

/// Marks each pair of such words with this probability. `others`: the target of another pair, for terms.
void mark(AlignedWords& pair, InlineMark what, double probability, Draws& draws,
          const std::vector<std::string>& others = {});

}  // namespace nmt
