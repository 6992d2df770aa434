// Noise in the tokens of sources.
#pragma once

#include "data/augmentation/draws.h"
#include "data/example.h"
#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// Probabilities for each source token, which add up to at most 1.
struct TokenNoise {
  double drop = 0;      // to be left out
  double mask = 0;      // to be replaced by the unknown token
  double switched = 0;  // to be replaced by any other token of the vocabulary (SwitchOut; Wang et al., 2018)
};

/// Changes source tokens. Special tokens, such as those of languages, stay, and so does the last token that
/// would be left. Links to a dropped token disappear.
void change_tokens(Example& example, const TokenNoise& noise, const Vocabulary& vocabulary, Draws& draws);

}  // namespace nmt
