// Loss weights of target tokens, read from text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/words.h"

namespace nmt {

/// Whether a number is a valid weight of a loss: finite and at least 0.
bool is_weight(float number);

/// Parses a line of weights separated by spaces: "0.5", or "1 0.2 1". Throws Error, which calls the line
/// `place` ("'train.weights', line 7"), for anything else.
std::vector<float> parse_weights(std::string_view line, const std::string& place);

/// Converts given weights to weights of the tokens of a target, EOS included. A single weight stays one for
/// all tokens; otherwise each token gets the weight of its word. An optional extra weight is for EOS and
/// tokens that belong to no word; it is 1 by default. Throws Error, which calls the weights `place`, for a
/// wrong number of weights.
std::vector<float> token_weights(const std::vector<float>& given, const Words& target,
                                 const std::string& place);

}  // namespace nmt
