#include "nn/recurrent/recurrent_encoder.h"

#include <fmt/format.h>

namespace nmt {
namespace {

/// The time-major orders of the sequences in both directions.
struct Directions {
  TimeMajor forward, backward;
};

void add_layer(Parameters& parameters, const std::string& name, const RecurrentConfig& config,
               std::int64_t d_first_input, RecurrentStack& stack) {
  const std::int64_t d_state = config.encoder_d_state;
  const CellWidths widths{stack.layers.empty() ? d_first_input : d_state, d_state};
  stack.layers.emplace_back(parameters, name, config.encoder_cell, widths, config.encoder_transition_depth,
                            config);
}

Var run(Graph& g, const RecurrentStack& stack, Var x, const Sequences& sequences,
        const Directions& directions, bool skip_connections) {
  bool reversed = stack.reversed;
  for (std::size_t i = 0; i < stack.layers.size(); ++i) {
    const Var y = stack.layers[i](g, x, reversed ? directions.backward : directions.forward);
    x = connect(g, x, y, sequences, skip_connections && i > 0);
    reversed = reversed != stack.alternating;
  }
  return x;
}

}  // namespace

RecurrentEncoder::RecurrentEncoder(Parameters& parameters, const RecurrentConfig& config)
    : skip_connections(config.skip_connections) {
  backward.reversed = true;
  forward.alternating = backward.alternating = config.encoder_directions == EncoderDirections::alternating;
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    const std::string name = fmt::format("encoder.layers.{}", i);
    if (i < config.bidirectional_layers()) {
      add_layer(parameters, name + ".forward", config, config.d_embedding, forward);
      add_layer(parameters, name + ".backward", config, config.d_embedding, backward);
    } else {
      add_layer(parameters, name, config, 2 * config.encoder_d_state, top);
    }
  }
}

Var RecurrentEncoder::operator()(Graph& g, const Var& x, const SourceInput& source) const {
  const Directions directions{time_major(g, source.lengths, false), time_major(g, source.lengths, true)};
  const auto run_stack = [&](const RecurrentStack& stack, const Var& input) {
    return run(g, stack, input, source.sequences, directions, skip_connections);
  };
  const Var both = concatenate_columns(g, {run_stack(forward, x), run_stack(backward, x)});
  return run_stack(top, both);
}

}  // namespace nmt
