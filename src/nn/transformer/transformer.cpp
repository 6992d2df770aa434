#include "nn/transformer/transformer.h"

#include <algorithm>
#include <cmath>

#include "common/error.h"
#include "nn/transformer/transformer_decoder.h"

namespace nmt {

std::vector<double> sinusoid_table(std::int64_t positions, std::int64_t d_model) {
  std::vector<double> table(static_cast<std::size_t>(positions * d_model));
  for (std::int64_t pos = 0; pos < positions; ++pos) {
    for (std::int64_t j = 0; j < d_model; ++j) {
      const auto even = static_cast<double>(j - j % 2);
      const double rate = std::exp(even * (-std::log(10000.0) / static_cast<double>(d_model)));
      const double angle = static_cast<double>(pos) * rate;
      table[static_cast<std::size_t>(pos * d_model + j)] = j % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return table;
}

Transformer::Transformer(const TransformerConfig& config) : config_(config) {
  Parameters& p = parameters();
  const std::int64_t d = config.d_model, source = config.source_vocabulary, target = config.target_vocabulary;
  if (config.tying == Tying::all) {
    source_embedding_ = target_embedding_ = &p.add("embedding.weight", ParameterSpec::word_table(target, d));
  } else {
    source_embedding_ = &p.add("source_embedding.weight", ParameterSpec::word_table(source, d));
    target_embedding_ = &p.add("target_embedding.weight", ParameterSpec::word_table(target, d));
  }
  if (config.positions == Positions::learned) {
    source_positions_ =
        &p.add("source_positions.weight", ParameterSpec::position_table(config.max_positions, d));
    target_positions_ =
        &p.add("target_positions.weight", ParameterSpec::position_table(config.max_positions, d));
  }
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    encoder_.emplace_back(p, fmt::format("encoder.layers.{}", i), config);
  }
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    decoder_.emplace_back(p, fmt::format("decoder.layers.{}", i), config);
  }
  if (config.pre_norm) {
    encoder_norm_ = std::make_unique<LayerNorm>(p, "encoder.norm", config);
    decoder_norm_ = std::make_unique<LayerNorm>(p, "decoder.norm", config);
  }
  output_weight_ = config.tying == Tying::none
                       ? &p.add("output.weight", ParameterSpec::output_layer(target, d))
                       : target_embedding_;
  output_bias_ = &p.add("output.bias", ParameterSpec::vector(target));
}

std::optional<std::int64_t> Transformer::max_positions() const {
  if (config_.positions == Positions::learned) return config_.max_positions;
  return std::nullopt;
}

void Transformer::check_vocabularies(bool shared) const {
  if (config_.tying != Tying::all || shared) return;
  throw ModelSettingError(
      {"tied_embeddings"},
      "tied_embeddings 'all' needs one vocabulary for both sides; use 'target' or 'none', or `vocab`");
}

Parameter Transformer::sinusoids(const Graph& g, std::int64_t positions) const {
  const std::lock_guard lock(sinusoids_guard_);
  if (sinusoids_.empty() || sinusoids_.back().rows() < positions) {
    Backend& backend = g.backend();
    const std::int64_t rows = std::max<std::int64_t>(2 * positions, 512);
    const Tensor table = allocate_tensor(backend, rows, config_.d_model, backend.precision().compute);
    upload_reals(backend, table, sinusoid_table(rows, config_.d_model));
    backend.finish();  // before another worker reads it
    sinusoids_.push_back(table);
  }
  return {.name = {}, .value = sinusoids_.back(), .gradient = {}};
}

Var Transformer::embed(Graph& g, const Parameter& table, const Parameter* learned_positions,
                       const Tensor& ids, const Sequences& sequences) const {
  const std::int64_t longest = sequences.longest_position;
  if (learned_positions != nullptr && longest > config_.max_positions) {
    throw Error("a sequence of {} tokens is longer than the model's max_positions {}; split or drop it",
                longest, config_.max_positions);
  }
  const Parameter positions = learned_positions != nullptr ? *learned_positions : sinusoids(g, longest);
  return embedding(g, table, ids, sequences, positions, std::sqrt(static_cast<double>(config_.d_model)));
}

Var Transformer::encode(Graph& g, const SourceInput& source) const {
  Var x = embed(g, *source_embedding_, source_positions_, source.ids, source.sequences);
  for (const EncoderLayer& layer : encoder_) x = layer(g, x, source.sequences);
  return encoder_norm_ ? (*encoder_norm_)(g, x) : x;
}

Logits Transformer::project(Graph& g, const Var& x) const {
  return {decoder_norm_ ? (*decoder_norm_)(g, x) : x, *output_weight_, *output_bias_};
}

Logits Transformer::logits(Graph& g, const SourceInput& source, const TargetInput& target) const {
  const Var memory = encode(g, source);
  Var x = embed(g, *target_embedding_, target_positions_, target.ids, target.sequences);
  for (const DecoderLayer& layer : decoder_) {
    x = layer(g, x, target.sequences, memory, source.sequences.offsets);
  }
  return project(g, x);
}

std::unique_ptr<Decoder> Transformer::decoder(Graph& g, const DecoderCapacity& capacity) const {
  return std::make_unique<TransformerDecoder>(*this, g, capacity);
}

}  // namespace nmt
