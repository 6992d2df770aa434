// The edits of TER: besides those of a word, the shift of a span of words counts as one.
#pragma once

#include <cstddef>

#include "metrics/ngrams.h"

namespace nmt {

/// How many edits turn the hypothesis into the reference. Shifts are searched for greedily, as Tercom does:
/// the best one at a time, of at most 10 words that the reference has not more than 50 places away, until
/// none lowers the edit distance or 1000 were tried. An empty reference takes the removal of every word.
std::size_t count_edits(const Symbols& hypothesis, const Symbols& reference);

}  // namespace nmt
