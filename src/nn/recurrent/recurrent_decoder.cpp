#include "nn/recurrent/recurrent_decoder.h"

namespace nmt {

RecurrentDecoder::RecurrentDecoder(const RecurrentModel& model, Graph& g, const DecoderCapacity& capacity)
    : model_(model),
      key_(g.allocate(capacity.source_rows, model.config_.encoder_width())),
      value_(g.allocate(capacity.source_rows, model.config_.encoder_width())),
      start_(g.allocate(capacity.source_rows, model.config_.d_state)) {
  const bool has_memory = model.config_.decoder_cell == RecurrentCell::lstm;
  for (std::int64_t i = 0; i < model.config_.decoder_layers; ++i) {
    const auto allocate = [&] { return g.allocate(capacity.cache_rows, model.config_.d_state); };
    caches_.push_back({allocate(), has_memory ? allocate() : Tensor()});
  }
}

void RecurrentDecoder::encode(Graph& g, const SourceInput& source, const std::vector<std::int32_t>& begins) {
  const Annotations annotations = model_.annotate(g, source);
  const Tensor start = model_.start(g, annotations, source.sequences.offsets).value;
  std::int64_t begin = 0;
  for (std::size_t s = 0; s < begins.size(); ++s) {
    const std::int32_t rows = source.lengths[s];
    g.backend().copy(key_.slice_rows(begins[s], rows), annotations.key.value.slice_rows(begin, rows));
    g.backend().copy(value_.slice_rows(begins[s], rows), annotations.value.value.slice_rows(begin, rows));
    g.backend().copy(start_.slice_rows(begins[s], 1), start.slice_rows(static_cast<std::int64_t>(s), 1));
    begin += rows;
  }
}

RecurrentState RecurrentDecoder::read(Graph& g, const Cache& cache, const DecodingStep& step) const {
  const auto read_from = [&](const Tensor& rows) {
    if (!rows) return Var();
    const Tensor states = g.allocate(step.hypotheses.rows, rows.columns());
    g.backend().run(ReadStates{.cache = rows,
                               .start = start_,
                               .index = step.index,
                               .position = step.hypotheses.positions,
                               .sentences = step.hypotheses.offsets,
                               .begin = step.sources.begin,
                               .states = states});
    return g.variable(states);
  };
  return {read_from(cache.state), read_from(cache.memory)};
}

void RecurrentDecoder::write(Graph& g, const RecurrentState& state, const Cache& cache,
                             const DecodingStep& step) {
  const auto write_to = [&](const Var& states, const Tensor& rows) {
    if (!rows) return;
    g.backend().run(WriteStates{
        .states = states.value, .index = step.index, .position = step.hypotheses.positions, .cache = rows});
  };
  write_to(state.state, cache.state);
  write_to(state.memory, cache.memory);
}

Logits RecurrentDecoder::step(Graph& g, const DecodingStep& step) {
  const Sequences& hypotheses = step.hypotheses;
  const Var words = RecurrentModel::embed(g, *model_.tables_.target, step.tokens, hypotheses);
  const ConditionalLayer& first = model_.first_layer_;
  ConditionalSteps steps(g, first, {g.variable(key_), g.variable(value_)}, hypotheses.rows);
  const ConditionalSteps::Step made = steps((*first.cells[0].input)(g, words), read(g, caches_[0], step),
                                            {hypotheses.offsets, step.sources, {}});
  write(g, made.state, caches_[0], step);
  Var state = made.state.state;
  for (std::size_t i = 1; i < caches_.size(); ++i) {
    const RecurrentState next = model_.higher_layers_[i - 1].step(g, state, read(g, caches_[i], step));
    write(g, next, caches_[i], step);
    state = connect(g, state, next.state, hypotheses, model_.config_.skip_connections);
  }
  return model_.project(g, words, state, made.context, hypotheses);
}

}  // namespace nmt
