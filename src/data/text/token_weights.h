// Weights of target tokens in training, as lines of text give them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/words.h"

namespace nmt {

/// Whether a number can be the weight of a loss: finite, and at least 0.
bool is_weight(float number);

/// Reads a line of weights, numbers between blanks: "0.5", or "1 0.2 1". Throws Error, which calls the line
/// `place` ("'train.weights', line 7"), for anything else.
std::vector<float> parse_weights(std::string_view line, const std::string& place);

/// The weights of the tokens of a target, EOS included: one for all of them where that is what was given,
/// else one for each, that of its word. Those given are of the words, and perhaps one more for EOS and what
/// belongs to no word, which have 1 without. Throws Error, which calls the weights `place`, for another
/// number of them.
std::vector<float> token_weights(const std::vector<float>& given, const Words& target,
                                 const std::string& place);

}  // namespace nmt
