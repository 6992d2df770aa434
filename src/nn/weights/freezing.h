// Selects the parameters that are frozen in training.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "nn/weights/parameters.h"

namespace nmt {

/// Returns the names of the parameters that match one of `patterns`, by their whole name
/// ("encoder.layers.0.linear1.weight") or by the name of a part of the model ("encoder", "encoder.layers.0").
/// In a pattern, * matches any characters, dots included, ? matches one, and [12] one of those listed. Throws
/// UsageError, which names the setting `freeze`, for a pattern that matches nothing, and if no parameter is
/// left to train.
std::set<std::string> frozen_parameters(const Parameters& parameters,
                                        const std::vector<std::string>& patterns);

}  // namespace nmt
