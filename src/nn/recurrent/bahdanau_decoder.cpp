#include "nn/recurrent/bahdanau_decoder.h"

#include <fmt/format.h>

namespace nmt {
namespace {

/// The output of the first layer for each target row, packed.
struct FirstLayer {
  Var states, contexts;
};

FirstLayer run(Graph& g, const ConditionalLayer& layer, const Var& words, const Annotations& source,
               const TargetSteps& target, RecurrentState state) {
  const TimeMajor& order = target.order();
  const Var inputs = (*layer.cells[0].input)(g, to_time_major(g, words, order));
  ConditionalSteps steps(g, layer, source, words.value.rows());
  std::vector<Var> states, contexts;
  for (const TargetStep& step : target.steps()) {
    ConditionalSteps::Step made = steps(slice_rows(g, inputs, step.begin, step.count),
                                        slice_rows(g, state, 0, step.count), step.attention);
    state = std::move(made.state);
    states.push_back(state.state);
    contexts.push_back(std::move(made.context));
  }
  return {from_time_major(g, concatenate_rows(g, states), order),
          from_time_major(g, concatenate_rows(g, contexts), order)};
}

}  // namespace

DeepOutput::DeepOutput(Parameters& parameters, const std::string& name, const RecurrentConfig& config)
    : word(parameters, name + ".word", config.d_embedding, config.d_embedding, config),
      state(parameters, name + ".state", config.d_embedding, config.d_state, config),
      context(parameters, name + ".context", config.d_embedding, config.encoder_width(), config) {}

Var DeepOutput::operator()(Graph& g, const Var& previous, const Var& s, const Var& c,
                           const Sequences& sequences) const {
  const Var hidden = tanh_of_sum(g, {word(g, previous), state(g, s), context(g, c)});
  return dropout(g, g.rates().activation, hidden, sequences);
}

BahdanauDecoder::BahdanauDecoder(Parameters& parameters, const RecurrentConfig& config)
    : cell_(config.decoder_cell),
      skip_connections_(config.skip_connections),
      first_layer_(parameters, "decoder.layers.0", config),
      output_(parameters, "decoder.output", config) {
  for (std::int64_t i = 1; i < config.decoder_layers; ++i) {
    higher_layers_.emplace_back(parameters, fmt::format("decoder.layers.{}", i), cell_,
                                CellWidths{config.d_state, config.d_state},
                                config.decoder_high_transition_depth, config);
  }
}

Annotations BahdanauDecoder::annotations(Graph& g, const Var& encoded) const {
  return first_layer_.alignment.annotations(g, encoded);
}

Var BahdanauDecoder::states(Graph& g, const Var& words, const Annotations& source, const TargetSteps& target,
                            const Var& start) const {
  const RecurrentState begin = start_state(cell_, start);
  const FirstLayer first = run(g, first_layer_, words, source, target, begin);
  Var state = connect(g, {}, first.states, target.sequences(), false);
  for (const RecurrentLayer& layer : higher_layers_) {
    const Var y = layer(g, state, target.order(), begin);
    state = connect(g, state, y, target.sequences(), skip_connections_);
  }
  return output_(g, words, state, first.contexts, target.sequences());
}

Var BahdanauDecoder::step(Graph& g, const Var& words, const Annotations& source, const DecodingStep& step,
                          DecoderState& state) const {
  ConditionalSteps steps(g, first_layer_, source, step.hypotheses.rows);
  const ConditionalSteps::Step made = steps((*first_layer_.cells[0].input)(g, words), state.layers[0],
                                            {step.hypotheses.offsets, step.sources, {}});
  state.layers[0] = made.state;
  Var x = made.state.state;
  for (std::size_t i = 1; i < state.layers.size(); ++i) {
    state.layers[i] = higher_layers_[i - 1].step(g, x, state.layers[i]);
    x = connect(g, x, state.layers[i].state, step.hypotheses, skip_connections_);
  }
  return output_(g, words, x, made.context, step.hypotheses);
}

}  // namespace nmt
