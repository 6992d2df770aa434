// The two orders of sinusoids are one model.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "foreign/weight_source.h"

namespace nmt {

/// The weights of a Transformer with positions `sinusoidal`, whose feed-forward networks have two matrices,
/// as those of one with `sinusoidal_halves`, which computes the same: what passes from sub-layer to sub-layer
/// has its even elements first, and then the odd ones, as sums and layer normalization know no order.
/// Its d_model is even.
std::map<std::string, WeightSource> with_halves(std::map<std::string, WeightSource> parameters);

}  // namespace nmt
