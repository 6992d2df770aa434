// Rotary positions of models that rotate neighboring features.
#pragma once

#include <map>
#include <string>

#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// Reorders the features of queries and keys of self-attention in all layers. The given weights belong to a
/// model that rotates the features 2j and 2j + 1 of a head together, as GPT-J does. Afterwards these are the
/// features j and w/2 + j of a head of width w, which nmt rotates together. Products of queries and keys stay
/// the same.
void rotate_halves(std::map<std::string, WeightSource>& weights, const ModelSettings& settings);

}  // namespace nmt
