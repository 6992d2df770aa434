// The edits of TER: edits of single words, and shifts of spans of words.
#pragma once

#include <cstddef>

#include "metrics/ngrams.h"

namespace nmt {

/// Returns the number of edits that turn the hypothesis into the reference. Searches for shifts greedily, as
/// Tercom does: one best shift at a time, of at most 10 words to a place at most 50 words away, until none
/// lowers the edit distance or 1000 were tried. With an empty reference, every word is removed.
std::size_t count_edits(const Symbols& hypothesis, const Symbols& reference);

}  // namespace nmt
