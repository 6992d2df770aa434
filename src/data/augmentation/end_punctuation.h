// Sentences with and without punctuation at their end.
#pragma once

#include "data/augmentation/aligned_words.h"

namespace nmt {

/// Removes the last punctuation mark of both sides if both are of the same kind, such as . and 。. Does
/// nothing to sides that end with several marks, or that consist of one. Returns whether the pair changed.
bool strip_end(AlignedWords& pair);

/// Adds a full stop to both sides, each in its script, if both end with a letter or a digit. Returns whether
/// the pair changed.
bool add_end(AlignedWords& pair);

}  // namespace nmt
