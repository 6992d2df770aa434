// The encoder of a recurrent model.
#pragma once

#include <vector>

#include "nn/recurrent/layers.h"

namespace nmt {

/// Layers of which each takes what the one before gives.
struct RecurrentStack {
  /// `reversed`: the first one runs from right to left; `alternating`: the second one against it, and so on.
  bool reversed = false, alternating = false;
  std::vector<RecurrentLayer> layers = {};
};

/// A stack from left to right and one from right to left, what they give side by side, and maybe further
/// layers on that (Bahdanau et al., 2015, section 3.2; Zhou et al., 2016, for directions that alternate).
struct RecurrentEncoder {
  RecurrentEncoder(Parameters& parameters, const RecurrentConfig& config);
  /// x: [source rows, d_embedding]; the result: [source rows, RecurrentConfig::encoder_width()].
  Var operator()(Graph& g, const Var& x, const SourceInput& source) const;

  RecurrentStack forward, backward, top;
  bool skip_connections;
};

}  // namespace nmt
