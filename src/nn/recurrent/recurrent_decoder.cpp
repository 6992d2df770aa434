#include "nn/recurrent/recurrent_decoder.h"

#include "nn/input.h"

namespace nmt {

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
  const Annotations annotations = model_.annotate(g, source);
  const Tensor start = model_.start(g, annotations, source.sequences.offsets).value;
  const SourceRows rows(g, source.lengths, begins);
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
