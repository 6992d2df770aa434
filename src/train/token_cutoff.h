// Token cutoff (Shen et al., 2020, A Simple but Tough-to-Beat Data Augmentation Approach for Natural Language
// Understanding and Generation), as SimCut uses it (Gao et al., 2022, Bi-SimCut).
#pragma once

#include <cstdint>

#include "data/example.h"

namespace nmt {

/// Makes the second pass over a batch read the sources and targets with some tokens cut (kCutToken): each
/// one with a probability of `rate`, from 0 to 1. Special tokens are never cut. What is cut in an example
/// depends only on `key` and its id.
void cut_tokens(Batch& batch, double rate, std::uint64_t key);

}  // namespace nmt
