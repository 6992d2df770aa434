#include "nn/recurrent/recurrent_model.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "graph/upload.h"
#include "nn/recurrent/recurrent_decoder.h"

namespace nmt {
namespace {

/// The sentences of a batch in the order in which a recurrence along the target has them, and what each step
/// of it attends to: of its first sentences one row each, and their annotations.
class TargetOrder {
 public:
  TargetOrder(Graph& g, const SourceInput& source, const TimeMajor& order)
      : longest_(source.sequences.offsets.longest) {
    const std::size_t count = order.sequences.size();
    std::vector<std::int32_t> begins(count), inverse(count), places(count);
    std::exclusive_scan(source.lengths.begin(), source.lengths.end(), begins.begin(), 0);
    std::iota(places.begin(), places.end(), 0);
    std::vector<std::int32_t> key_begins, key_lengths;
    for (const std::int32_t place : places) {
      const auto sentence = static_cast<std::size_t>(order.sequences[static_cast<std::size_t>(place)]);
      inverse[sentence] = place;
      key_begins.push_back(begins[sentence]);
      key_lengths.push_back(source.lengths[sentence]);
    }
    constexpr std::int64_t kTensorsOfOrder = 6;
    Upload upload(g, kTensorsOfOrder, kTensorsOfOrder * static_cast<std::int64_t>(count));
    sentences_ = upload.add(order.sequences);
    inverse_ = upload.add(inverse);
    keys_ = {upload.add(key_begins), upload.add(key_lengths)};
    queries_ = {upload.add(places), upload.add(std::vector<std::int32_t>(count, 1))};
    upload.send();
  }

  /// Of a row for each sentence, those of the first step in its order.
  Var first_step(Graph& g, const Var& x, const TimeMajor& order) const {
    const std::int64_t rows = order.batch_sizes.empty() ? 0 : order.batch_sizes[0];
    return slice_rows(g, permute_rows(g, x, sentences_, inverse_), 0, rows);
  }
  /// What a step of so many rows attends to.
  StepAttention attention(std::int64_t rows, const AttentionRows& traced) const {
    const auto first = [rows](const SequenceOffsets& all, std::int64_t longest) {
      return SequenceOffsets{all.begin.slice_columns(0, rows), all.length.slice_columns(0, rows), rows,
                             longest};
    };
    return {first(queries_, 1), first(keys_, longest_), traced};
  }

 private:
  std::int64_t longest_;
  Tensor sentences_, inverse_;
  SequenceOffsets keys_, queries_;
};

/// The weights of the attention, when somebody wants them, and the gradients of its energies, when a loss was
/// taken of them: while the attention is computed their rows are in the order of time.
class TracedWeights {
 public:
  TracedWeights(Graph& g, std::int64_t rows, std::int64_t longest)
      : packed_(g.attention_weights(AttentionKind::cross, rows, 1, longest)) {
    if (packed_.weights) in_time_.weights = g.allocate_sums(rows, longest);
    if (packed_.d_scores) in_time_.d_energies = std::make_shared<Tensor>();
  }
  /// From this one on.
  AttentionRows rows(std::int64_t begin) const { return {in_time_.weights, in_time_.d_energies, begin}; }
  /// Once all rows have been computed.
  void pack(Graph& g, const TimeMajor& order) const {
    if (!packed_.weights) return;
    g.backend().run(SelectRows{.from = in_time_.weights, .ids = order.places, .to = packed_.weights});
    g.record([&g, packed = packed_.d_scores, in_time = in_time_.d_energies, rows = order.rows] {
      if (!*packed) return;
      *in_time = g.allocate_sums(packed->rows(), packed->columns());
      g.backend().run(SelectRows{.from = std::exchange(*packed, {}), .ids = rows, .to = *in_time});
    });
  }

 private:
  AttentionWeights packed_;
  AttentionRows in_time_;
};

/// What layers of the decoder begin with: this as the state, and as the memory of an LSTM.
RecurrentState start_state(RecurrentCell cell, const Var& start) {
  return {start, cell == RecurrentCell::lstm ? start : Var()};
}

/// What the first layer of the decoder gives for each row of the target, packed.
struct Decoded {
  Var states, contexts;
};

Decoded decode(Graph& g, const ConditionalLayer& layer, const Var& words, const Annotations& source,
               const TimeMajor& order, const TargetOrder& sentences, RecurrentState state,
               const TracedWeights& traced) {
  const std::int64_t rows = words.value.rows();
  const Var inputs = (*layer.cells[0].input)(g, to_time_major(g, words, order));
  ConditionalSteps steps(g, layer, source, rows);
  std::vector<Var> states, contexts;
  std::int64_t begin = 0;
  for (const std::int64_t count : order.batch_sizes) {
    ConditionalSteps::Step step = steps(slice_rows(g, inputs, begin, count), slice_rows(g, state, 0, count),
                                        sentences.attention(count, traced.rows(begin)));
    state = std::move(step.state);
    states.push_back(state.state);
    contexts.push_back(std::move(step.context));
    begin += count;
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

RecurrentModel::RecurrentModel(const RecurrentConfig& config)
    : config_(config),
      tables_(parameters(), config),
      encoder_(parameters(), config),
      start_(parameters(), "decoder.start", config.d_state, config.encoder_width(), config),
      first_layer_(parameters(), "decoder.layers.0", config),
      deep_output_(parameters(), "decoder.output", config) {
  Parameters& p = parameters();
  for (std::int64_t i = 1; i < config.decoder_layers; ++i) {
    higher_layers_.emplace_back(p, fmt::format("decoder.layers.{}", i), config.decoder_cell, config.d_state,
                                config.decoder_high_transition_depth, config);
  }
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
  const Var value = encoder_(g, embed(g, *tables_.source, source.ids, source.sequences), source);
  return {first_layer_.alignment.key(g, value), value};
}

Var RecurrentModel::start(Graph& g, const Annotations& source, const SequenceOffsets& sentences) const {
  return tanh_of_sum(g, {start_(g, sequence_mean(g, source.value, sentences))});
}

Logits RecurrentModel::project(Graph& g, const Var& word, const Var& state, const Var& context,
                               const Sequences& sequences) const {
  return {deep_output_(g, word, state, context, sequences), *output_weight_,
          output_bias_ != nullptr ? *output_bias_ : Parameter()};
}

Logits RecurrentModel::logits(Graph& g, const SourceInput& source, const TargetInput& target) const {
  const Annotations annotations = annotate(g, source);
  const Var words = embed(g, *tables_.target, target.ids, target.sequences);
  const TimeMajor order = time_major(g, target.lengths, false);
  const TargetOrder sentences(g, source, order);
  const Var start_of_all = start(g, annotations, source.sequences.offsets);
  const RecurrentState start =
      start_state(config_.decoder_cell, sentences.first_step(g, start_of_all, order));
  const TracedWeights traced(g, target.sequences.rows, source.sequences.offsets.longest);
  const Decoded decoded = decode(g, first_layer_, words, annotations, order, sentences, start, traced);
  traced.pack(g, order);
  Var state = connect(g, {}, decoded.states, target.sequences, false);
  for (const RecurrentLayer& layer : higher_layers_) {
    const Var y = layer(g, state, order, start);
    state = connect(g, state, y, target.sequences, config_.skip_connections);
  }
  return project(g, words, state, decoded.contexts, target.sequences);
}

std::unique_ptr<Decoder> RecurrentModel::decoder(Graph& g, const DecoderCapacity& capacity) const {
  return std::make_unique<RecurrentDecoder>(*this, g, capacity);
}

}  // namespace nmt
