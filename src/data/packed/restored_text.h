// The text of encoded pairs.
#pragma once

#include <optional>

#include "data/augmentation/aligned_words.h"
#include "data/example.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// A pair as text, and the tokens before its source that are no part of it, such as language tokens and tags.
struct RestoredPair {
  AlignedWords words;
  std::vector<int> tags;
};

/// Returns the text of a pair with its links and weights as those of words. Returns nothing if the text is
/// not certain, for instance because it has unknown characters.
std::optional<RestoredPair> restored(const Example& example, const Vocabulary& source,
                                     const Vocabulary& target);

}  // namespace nmt
