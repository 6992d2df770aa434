#include "nn/recurrent/luong_decoder.h"

#include <fmt/format.h>

namespace nmt {
namespace {

std::vector<RecurrentLayer> layers_of(Parameters& parameters, const RecurrentConfig& config) {
  std::vector<RecurrentLayer> layers;
  const std::int64_t d_first = config.d_embedding * (config.input_feeding ? 2 : 1);
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    layers.emplace_back(parameters, fmt::format("decoder.layers.{}", i), config.decoder_cell,
                        CellWidths{i == 0 ? d_first : config.d_state, config.d_state},
                        config.decoder_high_transition_depth, config);
  }
  return layers;
}

Projection part_of_output(Parameters& parameters, const std::string& name, std::int64_t d_input,
                          const RecurrentConfig& config) {
  return {parameters,
          {name + ".weight", "", name + "_norm.weight"},
          ParameterSpec::matrix(config.d_embedding, d_input),
          config};
}

}  // namespace

/// The steps of the decoder in one pass, for training, scoring and search.
class LuongSteps {
 public:
  /// `rows`: upper limit of the rows of all steps together.
  LuongSteps(Graph& g, const LuongDecoder& decoder, const Annotations& source, const Sequences& rows);
  /// Returns the input of the output layer for the rows of a step, [rows, d_embedding]. Replaces `state` by
  /// the next state.
  Var operator()(const Var& words, const StepAttention& attention, DecoderState& state);

 private:
  struct Layer {
    LayerSteps steps;
    StepwiseDropout dropout;
  };

  Graph& g_;
  const LuongDecoder& decoder_;
  std::vector<Layer> layers_;
  AttentionSteps attention_;
  StepwiseProjection state_, context_;
  StepwiseDropout dropout_;
};

LuongSteps::LuongSteps(Graph& g, const LuongDecoder& decoder, const Annotations& source,
                       const Sequences& rows)
    : g_(g),
      decoder_(decoder),
      attention_(g, decoder.alignment_, source, rows.rows),
      state_(g, decoder.state_, rows.rows),
      context_(g, decoder.context_, rows.rows),
      dropout_(g, g.rates().activation, rows, decoder.d_embedding_) {
  for (const RecurrentLayer& layer : decoder.layers_)
    layers_.push_back({{g, layer, rows.rows}, {g, g.rates().sublayer, rows, layer.d_state}});
}

Var LuongSteps::operator()(const Var& words, const StepAttention& attention, DecoderState& state) {
  const std::int64_t rows = words.value.rows();
  Var x = decoder_.input_feeding_ ? concatenate_columns(g_, {words, state.attentional}) : words;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    state.layers[i] = layers_[i].steps(x, state.layers[i]);
    x = connect(g_, layers_[i].dropout.next(rows), x, state.layers[i].state,
                decoder_.skip_connections_ && i > 0);
  }
  const Var context = attention_(x, attention);
  Var output = dropout(g_, dropout_.next(rows), tanh_of_sum(g_, {state_(x), context_(context)}));
  if (decoder_.input_feeding_) state.attentional = output;
  return output;
}

LuongDecoder::LuongDecoder(Parameters& parameters, const RecurrentConfig& config)
    : cell_(config.decoder_cell),
      input_feeding_(config.input_feeding),
      skip_connections_(config.skip_connections),
      d_embedding_(config.d_embedding),
      layers_(layers_of(parameters, config)),
      alignment_(parameters, "decoder.attention", config),
      state_(part_of_output(parameters, "decoder.output.state", config.d_state, config)),
      context_(part_of_output(parameters, "decoder.output.context", config.encoder_width(), config)) {}

Annotations LuongDecoder::annotations(Graph& g, const Var& encoded) const {
  return alignment_.annotations(g, encoded);
}

Var LuongDecoder::states(Graph& g, const Var& words, const Annotations& source, const TargetSteps& target,
                         const Var& start) const {
  const TimeMajor& order = target.order();
  const Var inputs = to_time_major(g, words, order);
  LuongSteps steps(g, *this, source, to_time_major(g, target.sequences(), order));
  DecoderState state{std::vector(layers_.size(), start_state(cell_, start)), {}};
  if (input_feeding_) state.attentional = zeros(g, start.value.rows(), d_embedding_);
  std::vector<Var> outputs;
  for (const TargetStep& step : target.steps()) {
    for (RecurrentState& layer : state.layers) layer = slice_rows(g, layer, 0, step.count);
    if (input_feeding_) state.attentional = slice_rows(g, state.attentional, 0, step.count);
    outputs.push_back(steps(slice_rows(g, inputs, step.begin, step.count), step.attention, state));
  }
  return from_time_major(g, concatenate_rows(g, outputs), order);
}

Var LuongDecoder::step(Graph& g, const Var& words, const Annotations& source, const DecodingStep& step,
                       DecoderState& state) const {
  LuongSteps steps(g, *this, source, step.hypotheses);
  return steps(words, {step.hypotheses.offsets, step.sources, {}}, state);
}

}  // namespace nmt
