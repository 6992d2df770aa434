#include "nn/recurrent/recurrent_model.h"

#include <fmt/format.h>

#include "nn/input.h"
#include "nn/recurrent/decoder_network.h"

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
    const Var y = g.recomputed([&, i, x, order = reversed ? directions.backward : directions.forward] {
      return stack.layers[i](g, x, order);
    });
    x = connect(g, x, y, sequences, skip_connections && i > 0);
    reversed = reversed != stack.alternating;
  }
  return x;
}

std::unique_ptr<DecoderNetwork> decoder_network(Parameters& parameters, const RecurrentConfig& config) {
  if (config.attention == AlignmentScore::additive)
    return std::make_unique<BahdanauDecoder>(parameters, config);
  return std::make_unique<LuongDecoder>(parameters, config);
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

RecurrentModel::RecurrentModel(const RecurrentConfig& config)
    : config_(config),
      tables_(parameters(), config),
      encoder_(parameters(), config),
      start_(parameters(), "decoder.start", config.d_state, config.encoder_width(), config),
      network_(decoder_network(parameters(), config)) {
  Parameters& p = parameters();
  const std::int64_t vocabulary = config.target_vocabulary;
  output_weight_ = has_tied_output(config.tying)
                       ? tables_.target
                       : &p.add("output.weight", ParameterSpec::output_layer(vocabulary, config.d_embedding));
  if (config.output_bias) output_bias_ = &p.add("output.bias", ParameterSpec::vector(vocabulary));
}

RecurrentModel::Tables::Tables(Parameters& parameters, const RecurrentConfig& config) {
  const auto words = [&](const char* name, std::int64_t vocabulary) {
    return &parameters.add(name, ParameterSpec::word_table(vocabulary, config.d_embedding));
  };
  if (has_one_embedding(config.tying)) {
    source = target = words("embedding.weight", config.target_vocabulary);
  } else {
    source = words("source_embedding.weight", config.source_vocabulary);
    target = words("target_embedding.weight", config.target_vocabulary);
  }
}

void RecurrentModel::check_vocabularies(bool shared) const {
  if (!shared) refuse_two_vocabularies(config_.tying);
}

Var RecurrentModel::embed(Graph& g, const Parameter& table, const Tensor& ids, const Sequences& sequences) {
  return embedding(g, table, ids, sequences, {}, 1);
}

Annotations RecurrentModel::annotate(Graph& g, const SourceInput& source) const {
  return network_->annotations(g,
                               encoder_(g, embed(g, *tables_.source, source.ids, source.sequences), source));
}

Var RecurrentModel::start(Graph& g, const Annotations& source, const SequenceOffsets& sentences) const {
  return tanh_of_sum(g, {start_(g, sequence_mean(g, source.value, sentences))});
}

Logits RecurrentModel::project(const Var& states) const {
  return {states, *output_weight_, output_bias_ != nullptr ? *output_bias_ : Parameter()};
}

Logits RecurrentModel::logits(Graph& g, const SourceInput& source, const TargetInput& target) const {
  const Annotations annotations = annotate(g, source);
  const Var words = embed(g, *tables_.target, target.ids, target.sequences);
  const TargetSteps steps(g, source, target);
  const Var begin = steps.first_step(g, start(g, annotations, source.sequences.offsets));
  const Var states = network_->states(g, words, annotations, steps, begin);
  steps.pack_weights(g);
  return project(states);
}

std::unique_ptr<Decoder> RecurrentModel::decoder(Graph& g, const DecoderCapacity& capacity) const {
  return std::make_unique<RecurrentDecoder>(*this, g, capacity);
}

RecurrentDecoder::RecurrentDecoder(const RecurrentModel& model, Graph& g, const DecoderCapacity& capacity)
    : model_(model),
      key_(g.allocate(capacity.source_rows, model.config_.encoder_width())),
      value_(g.allocate(capacity.source_rows, model.config_.encoder_width())),
      start_(g.allocate(capacity.source_rows, model.config_.d_state)) {
  const RecurrentConfig& config = model.config_;
  const auto of_layer = [&] { return Cache{g.allocate(capacity.cache_rows, config.d_state), start_}; };
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    layers_.push_back({of_layer(), {}});
    if (config.decoder_cell == RecurrentCell::lstm) layers_.back().memory = of_layer();
  }
  if (!config.input_feeding) return;
  attentional_ = {g.allocate(capacity.cache_rows, config.d_embedding),
                  g.allocate(capacity.source_rows, config.d_embedding)};
  g.backend().zero(attentional_.start);
}

void RecurrentDecoder::encode(Graph& g, const SourceInput& source, const std::vector<std::int32_t>& begins) {
  const SourceRows rows(g, source.lengths, begins);
  const Annotations annotations = model_.annotate(g, source);
  const Tensor start = model_.start(g, annotations, source.sequences.offsets).value;
  rows.write(annotations.key.value, key_);
  rows.write(annotations.value.value, value_);
  rows.write_first(start, start_);
}

Var RecurrentDecoder::read(Graph& g, const Cache& cache, const DecodingStep& step) {
  if (!cache.rows) return {};
  const Tensor states = g.allocate(step.hypotheses.rows, cache.rows.columns());
  g.backend().run(ReadStates{.cache = cache.rows,
                             .start = cache.start,
                             .index = step.index,
                             .position = step.hypotheses.positions,
                             .sentences = step.hypotheses.offsets,
                             .begin = step.sources.begin,
                             .states = states});
  return g.variable(states);
}

void RecurrentDecoder::write(Graph& g, const Var& states, const Cache& cache, const DecodingStep& step) {
  if (!cache.rows) return;
  g.backend().run(WriteStates{.states = states.value,
                              .index = step.index,
                              .position = step.hypotheses.positions,
                              .cache = cache.rows});
}

DecoderState RecurrentDecoder::read(Graph& g, const DecodingStep& step) const {
  DecoderState state;
  for (const LayerCache& layer : layers_)
    state.layers.push_back({read(g, layer.state, step), read(g, layer.memory, step)});
  state.attentional = read(g, attentional_, step);
  return state;
}

void RecurrentDecoder::write(Graph& g, const DecoderState& state, const DecodingStep& step) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    write(g, state.layers[i].state, layers_[i].state, step);
    write(g, state.layers[i].memory, layers_[i].memory, step);
  }
  write(g, state.attentional, attentional_, step);
}

Logits RecurrentDecoder::step(Graph& g, const DecodingStep& step) {
  const Var words = RecurrentModel::embed(g, *model_.tables_.target, step.tokens, step.hypotheses);
  DecoderState state = read(g, step);
  const Var states = model_.network_->step(g, words, {g.variable(key_), g.variable(value_)}, step, state);
  write(g, state, step);
  return model_.project(states);
}

}  // namespace nmt
