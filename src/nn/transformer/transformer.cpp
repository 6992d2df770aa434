#include "nn/transformer/transformer.h"

#include <fmt/format.h>

#include <map>

#include "common/error.h"
#include "nn/transformer/transformer_decoder.h"

namespace nmt {

Transformer::Transformer(const TransformerConfig& config)
    : config_(config), sinusoids_(config.positions, config.position_offset, config.d_model) {
  Parameters& p = parameters();
  add_inputs();
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    encoder_.emplace_back(p, fmt::format("encoder.layers.{}", i), config);
  }
  std::map<std::int64_t, std::shared_ptr<const DecoderLayer>> sets;
  for (const std::int64_t set : config.decoder_sets) {
    auto& layer = sets[set];
    if (!layer)
      layer = std::make_shared<const DecoderLayer>(p, fmt::format("decoder.layers.{}", set), config);
    decoder_.push_back(layer);
  }
  if (config.final_norm) {
    encoder_norm_.emplace(p, "encoder.norm", config);
    decoder_norm_.emplace(p, "decoder.norm", config);
  }
  const std::int64_t vocabulary = config.target_vocabulary;
  output_weight_ = has_tied_output(config.tying)
                       ? target_.words
                       : &p.add("output.weight", ParameterSpec::output_layer(vocabulary, config.d_model));
  if (config.output_bias) output_bias_ = &p.add("output.bias", ParameterSpec::vector(vocabulary));
}

void Transformer::add_inputs() {
  Parameters& p = parameters();
  const auto words = [&](const char* name, std::int64_t vocabulary) {
    return &p.add(name, ParameterSpec::word_table(vocabulary, config_.d_model));
  };
  if (has_one_embedding(config_.tying)) {
    source_.words = target_.words = words("embedding.weight", config_.target_vocabulary);
  } else {
    source_.words = words("source_embedding.weight", config_.source_vocabulary);
    target_.words = words("target_embedding.weight", config_.target_vocabulary);
  }
  if (config_.positions == Positions::learned) {
    const ParameterSpec table = ParameterSpec::position_table(config_.max_positions, config_.d_model);
    source_.positions = &p.add("source_positions.weight", table);
    target_.positions = &p.add("target_positions.weight", table);
  }
  if (config_.embedding_norm) {
    source_.norm.emplace(p, "encoder.embedding_norm", config_);
    target_.norm.emplace(p, "decoder.embedding_norm", config_);
  }
}

std::optional<std::int64_t> Transformer::max_positions() const {
  if (config_.positions == Positions::learned) return config_.max_positions - config_.position_offset;
  return std::nullopt;
}

void Transformer::check_vocabularies(bool shared) const {
  if (!shared) refuse_two_vocabularies(config_.tying);
}

Parameter Transformer::positions(const Graph& g, const Input& input, std::int64_t longest) const {
  if (input.positions == nullptr) return sinusoids_.at_least(g, longest);
  const std::int64_t most = *max_positions();
  if (longest > most) {
    throw Error(
        "a sequence of {} tokens is longer than the {} that the model has positions for; split or "
        "drop it",
        longest, most);
  }
  return input.positions->slice_rows(config_.position_offset, most);
}

Var Transformer::embed(Graph& g, const Input& input, const Tensor& ids, const Sequences& sequences) const {
  const Var x = embedding(g, *input.words, ids, sequences, positions(g, input, sequences.longest_position),
                          config_.embedding_scale);
  return input.norm ? (*input.norm)(g, x) : x;
}

Var Transformer::encode(Graph& g, const SourceInput& source) const {
  Var x = embed(g, source_, source.ids, source.sequences);
  for (const EncoderLayer& layer : encoder_) x = layer(g, x, source.sequences);
  return encoder_norm_ ? (*encoder_norm_)(g, x) : x;
}

Logits Transformer::project(Graph& g, const Var& x) const {
  return {decoder_norm_ ? (*decoder_norm_)(g, x) : x, *output_weight_,
          output_bias_ != nullptr ? *output_bias_ : Parameter()};
}

Logits Transformer::logits(Graph& g, const SourceInput& source, const TargetInput& target) const {
  const Var memory = encode(g, source);
  Var x = embed(g, target_, target.ids, target.sequences);
  for (const auto& layer : decoder_) {
    x = (*layer)(g, x, target.sequences, layer->cross_attention.key_value(g, memory),
                 source.sequences.offsets);
  }
  return project(g, x);
}

std::unique_ptr<Decoder> Transformer::decoder(Graph& g, const DecoderCapacity& capacity) const {
  return std::make_unique<TransformerDecoder>(*this, g, capacity);
}

}  // namespace nmt
