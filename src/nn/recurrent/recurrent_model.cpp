#include "nn/recurrent/recurrent_model.h"

#include "nn/recurrent/decoder_network.h"
#include "nn/recurrent/recurrent_decoder.h"

namespace nmt {
namespace {

std::unique_ptr<DecoderNetwork> decoder_network(Parameters& parameters, const RecurrentConfig& config) {
  if (config.attention == AlignmentScore::additive)
    return std::make_unique<BahdanauDecoder>(parameters, config);
  return std::make_unique<LuongDecoder>(parameters, config);
}

}  // namespace

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

}  // namespace nmt
