#include "nn/transformer/transformer.h"

#include <fmt/format.h>

#include "nn/input.h"

namespace nmt {

TransformerDecoder::TransformerDecoder(const Transformer& model, Graph& g, const DecoderCapacity& capacity)
    : model_(model) {
  for (const auto& layer : model.decoder_) {
    layers_.push_back({g.allocate(capacity.source_rows, 2 * model.config_.key_width()),
                       layer->cache(g, capacity.cache_rows)});
  }
}

void TransformerDecoder::encode(Graph& g, const SourceInput& source,
                                const std::vector<std::int32_t>& begins) {
  const SourceRows rows(g, source.lengths, begins);  // uploads first: see CommandGraphs
  const Var memory = model_.encode(g, source);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    rows.write(model_.decoder_[i]->cross_attention->key_value(g, memory).value, layers_[i].memory);
}

Logits TransformerDecoder::step(Graph& g, const DecodingStep& step) {
  Var x = model_.embed(g, model_.target_, step.tokens, step.hypotheses);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const SourceMemory seen{g.variable(layers_[i].memory), step.sources};
    x = (*model_.decoder_[i])(g, x, step.hypotheses, &seen, {layers_[i].cache, step.index});
  }
  return (*model_.output_)(g, x);
}

Transformer::Transformer(const TransformerConfig& config)
    : config_(config), sinusoids_(config.positions, config.position_offset, config.position_width()) {
  add_inputs();
  add_layers();
  if (config.final_norm) encoder_norm_.emplace(parameters(), "encoder.norm", config);
  output_.emplace(parameters(), config, *target_.words);
}

void Transformer::add_layers() {
  Parameters& p = parameters();
  encoder_biases_ = score_biases(p, "encoder", config_);
  decoder_biases_ = score_biases(p, "decoder", config_);
  const std::int64_t farthest = config_.farthest_vectors();
  const AttentionPositions of_encoder = {sinusoids_.if_rotary(), encoder_biases_.get(), farthest},
                           of_decoder = {sinusoids_.if_rotary(), decoder_biases_.get(), farthest};
  for (std::int64_t i = 0; i < config_.encoder_layers; ++i)
    encoder_.emplace_back(p, fmt::format("encoder.layers.{}", i), config_, of_encoder);
  decoder_ = decoder_layers(p, config_, of_decoder, true);
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

void Transformer::check_vocabularies(bool shared) const {
  if (!shared) refuse_two_vocabularies(config_.tying);
}

Var Transformer::encode(Graph& g, const SourceInput& source) const {
  Var x = embed(g, source_, source.ids, source.sequences);
  const std::vector<bool> kept = g.layers_kept(std::ssize(encoder_));
  for (std::size_t i = 0; i < encoder_.size(); ++i) {
    if (!kept[i]) continue;
    x = g.recomputed(
        [&layer = encoder_[i], &g, x, sequences = source.sequences] { return layer(g, x, sequences); });
  }
  return encoder_norm_ ? (*encoder_norm_)(g, x) : x;
}

Logits Transformer::logits(Graph& g, const SourceInput& source, const TargetInput& target) const {
  const Var memory = encode(g, source);
  Var x = embed(g, target_, target.ids, target.sequences);
  const std::vector<bool> kept = g.layers_kept(std::ssize(decoder_));
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    if (!kept[i]) continue;
    x = g.recomputed([&layer = *decoder_[i], &g, x, memory, sequences = target.sequences,
                      offsets = source.sequences.offsets] {
      const SourceMemory seen{layer.cross_attention->key_value(g, memory), offsets};
      return layer(g, x, sequences, &seen);
    });
  }
  return (*output_)(g, x);
}

std::unique_ptr<Decoder> Transformer::decoder(Graph& g, const DecoderCapacity& capacity) const {
  return std::make_unique<TransformerDecoder>(*this, g, capacity);
}

}  // namespace nmt
