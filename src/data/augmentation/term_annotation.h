// Source words that are annotated with their translation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/augmentation/aligned_words.h"
#include "data/augmentation/draws.h"

namespace nmt {

/// Whether a word, apart from the punctuation around it, has only letters, digits, hyphens and apostrophes,
/// so that it could be a term.
bool may_be_term(std::string_view word);

/// Annotates the source word of the first of these links, and up to two words after it, with their
/// translation, as term_symbols.h says: "(old houses," becomes
/// "( __source__ old houses __target__ alte Häuser __done__,". Words after the first are included if they are
/// linked in the order of the target, and no punctuation divides them. The words that are inserted have no
/// links.
///
/// Some single words are translated as any word of `others`, on both sides, so that a model learns to follow
/// annotations that it would not expect. Of the other translations, every other one has other endings than
/// the target, so that a model learns to inflect terms: the last one to three letters of each word are left
/// out, and for every other word replaced by those of another word of the target. The first three letters
/// stay.
///
/// `links`: those of one_to_one(), from the first word to annotate. `others`: the target of another pair, or
/// nothing. Returns the number of words that were annotated.
std::int64_t annotate_term(AlignedWords& pair, std::span<const WordAlignment::value_type> links,
                           const std::vector<std::string>& others, Draws& draws);

}  // namespace nmt
