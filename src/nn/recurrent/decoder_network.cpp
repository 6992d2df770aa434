#include "nn/recurrent/decoder_network.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "graph/graph.h"

namespace nmt {

TargetSteps::TargetSteps(Graph& g, const SourceInput& source, const TargetInput& target)
    : order_(time_major(g, target.lengths, false)), sequences_(target.sequences) {
  const std::size_t count = order_.sequences.size();
  std::vector<std::int32_t> begins(count), inverse(count), places(count);
  std::exclusive_scan(source.lengths.begin(), source.lengths.end(), begins.begin(), 0);
  std::iota(places.begin(), places.end(), 0);
  std::vector<std::int32_t> key_begins, key_lengths;
  for (const std::int32_t place : places) {
    const auto sentence = static_cast<std::size_t>(order_.sequences[static_cast<std::size_t>(place)]);
    inverse[sentence] = place;
    key_begins.push_back(begins[sentence]);
    key_lengths.push_back(source.lengths[sentence]);
  }
  constexpr std::int64_t kTensorsOfOrder = 6;
  Upload upload(g, kTensorsOfOrder, kTensorsOfOrder * static_cast<std::int64_t>(count));
  sentences_ = upload.add(order_.sequences);
  inverse_ = upload.add(inverse);
  const Tensor of_keys[] = {upload.add(key_begins), upload.add(key_lengths)};
  const Tensor of_queries[] = {upload.add(places), upload.add(std::vector<std::int32_t>(count, 1))};
  upload.send();

  const std::int64_t longest = source.sequences.offsets.longest;
  packed_ = g.attention_weights(AttentionKind::cross, sequences_.rows, 1, longest);
  if (packed_.weights) in_time_.weights = g.allocate_sums(sequences_.rows, longest);
  if (packed_.d_scores) in_time_.d_energies = std::make_shared<Tensor>();
  const auto first = [](const Tensor(&all)[2], std::int64_t rows, std::int64_t longest_of_all) {
    return SequenceOffsets{all[0].slice_columns(0, rows), all[1].slice_columns(0, rows), rows,
                           longest_of_all};
  };
  std::int64_t begin = 0;
  for (const std::int64_t rows : order_.batch_sizes) {
    const AttentionRows traced{in_time_.weights, in_time_.d_energies, begin};
    steps_.push_back({begin, rows, {first(of_queries, rows, 1), first(of_keys, rows, longest), traced}});
    begin += rows;
  }
}

Var TargetSteps::first_step(Graph& g, const Var& x) const {
  const std::int64_t rows = steps_.empty() ? 0 : steps_[0].count;
  return slice_rows(g, permute_rows(g, x, sentences_, inverse_), 0, rows);
}

void TargetSteps::pack_weights(Graph& g) const {
  if (!packed_.weights) return;
  g.backend().run(SelectRows{.from = in_time_.weights, .ids = order_.places, .to = packed_.weights});
  g.record([&g, packed = packed_.d_scores, in_time = in_time_.d_energies, rows = order_.rows] {
    if (!*packed) return;
    *in_time = g.allocate_sums(packed->rows(), packed->columns());
    g.backend().run(SelectRows{.from = std::exchange(*packed, {}), .ids = rows, .to = *in_time});
  });
}

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
