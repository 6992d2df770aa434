// Converts between the two orders of sinusoids.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "foreign/weight_source.h"

namespace nmt {

/// Converts the weights of a Transformer with positions `sinusoidal`, whose feed-forward networks have two
/// matrices, to those of an equivalent one with `sinusoidal_halves`: activations between sublayers are
/// permuted, first the even elements, then the odd ones, which sums and layer normalization do not notice.
/// d_model must be even.
std::map<std::string, WeightSource> with_halves(std::map<std::string, WeightSource> parameters);

}  // namespace nmt
