// Which parameters stay as they are in training.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "nn/weights/parameters.h"

namespace nmt {

/// The names of the parameters that one of `patterns` matches: by their whole name
/// ("encoder.layers.0.linear1.weight"), or by the name of a part that they belong to ("encoder",
/// "encoder.layers.0"). In a pattern, * stands for any letters, dots included, ? for one, and [12] for one of
/// these. Throws UsageError, which names the setting `freeze`, for a pattern that matches none, and where no
/// parameter is left to train.
std::set<std::string> frozen_parameters(const Parameters& parameters,
                                        const std::vector<std::string>& patterns);

}  // namespace nmt
