// Words without meaning, which a translation copies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/augmentation/aligned_words.h"
#include "data/augmentation/draws.h"

namespace nmt {

/// Returns 1 to `most` words of 2 to 5 random characters of one script, or of emoji or of ASCII.
std::vector<std::string> noise_words(std::int64_t most, Draws& draws);

/// Returns a pair of 1 to 6 noise words, which are equal on both sides and aligned one to one. Its weights
/// are those of a pair: `weight`, or none.
AlignedWords noise_pair(const std::vector<float>& weight, Draws& draws);

}  // namespace nmt
