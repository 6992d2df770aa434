// The encoder of a recurrent model.
#pragma once

#include <vector>

#include "nn/recurrent/layers.h"

namespace nmt {

/// A stack of layers, each of which takes the output of the layer below.
struct RecurrentStack {
  /// `reversed`: the first layer runs from right to left; `alternating`: each layer runs in the opposite
  /// direction of the layer below.
  bool reversed = false, alternating = false;
  std::vector<RecurrentLayer> layers = {};
};

/// Two stacks, from left to right and from right to left, whose outputs are joined side by side, and optional
/// further layers on top (Bahdanau et al., 2015, section 3.2; Zhou et al., 2016, for alternating directions).
struct RecurrentEncoder {
  RecurrentEncoder(Parameters& parameters, const RecurrentConfig& config);
  /// x: [source rows, d_embedding]; the result: [source rows, RecurrentConfig::encoder_width()].
  Var operator()(Graph& g, const Var& x, const SourceInput& source) const;

  RecurrentStack forward, backward, top;
  bool skip_connections;
};

}  // namespace nmt
