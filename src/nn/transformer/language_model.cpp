#include "nn/transformer/language_model.h"

#include <algorithm>
#include <array>

namespace nmt {
namespace {

/// The settings of a Transformer that concern its encoder, or decoders that differ from the encoder.
constexpr std::array kOfTranslation = {"encoder_layers",        "decoder_d_ff",     "decoder_ffn_layers",
                                       "source_special_tokens", "source_direction", "source_vocabulary"};

ModelKey key_of_language_model(const ModelKey& key) {
  if (key.name == "tied_embeddings")
    return {key.name,
            "target",
            "embedding and output matrices that share their weights. target means target and output; with "
            "none, they are "
            "separate.",
            {"target", "none"}};
  return key;
}

}  // namespace

/// Decodes with caches: keys and values of every token, or the states that replace them, are computed once.
class LanguageModelDecoder final : public Decoder {
 public:
  LanguageModelDecoder(const LanguageModel& model, const Graph& g, const DecoderCapacity& capacity)
      : model_(model) {
    for (const auto& layer : model.layers_) caches_.push_back(layer->cache(g, capacity.cache_rows));
  }

  void encode(Graph& /*g*/, const SourceInput& /*source*/,
              const std::vector<std::int32_t>& /*begins*/) override {}

  Logits step(Graph& g, const DecodingStep& step) override {
    Var x = model_.embed(g, step.tokens, step.hypotheses);
    for (std::size_t i = 0; i < caches_.size(); ++i)
      x = (*model_.layers_[i])(g, x, step.hypotheses, nullptr, {caches_[i], step.index});
    return (*model_.output_)(g, x);
  }

 private:
  const LanguageModel& model_;
  std::vector<Tensor> caches_;  // one per layer; see DecoderLayer::cache
};

const std::vector<ModelKey>& language_model_keys() {
  static const std::vector<ModelKey> keys = [] {
    std::vector<ModelKey> own;
    for (const ModelKey& key : transformer_keys()) {
      if (std::ranges::count(kOfTranslation, key.name) == 0) own.push_back(key_of_language_model(key));
    }
    return own;
  }();
  return keys;
}

TransformerConfig language_model_config(const ModelSettings& settings) {
  ModelSettings whole = settings;
  whole["tied_embeddings"] = choice_setting(settings, "tied_embeddings", {"target", "none"});
  for (const ModelKey& key : transformer_keys()) whole.emplace(key.name, key.value);
  whole["source_vocabulary"] = settings.at("target_vocabulary");
  TransformerConfig config(whole);
  const bool need_attention = config.positions == Positions::rotary || config.positions == Positions::alibi ||
                              config.positions == Positions::shaw;
  if (need_attention && config.decoder_layer != DecoderLayerKind::attention)
    throw ModelSettingError({"positions", "decoder_layer"},
                            "positions '{}' needs decoder_layer 'attention', not '{}'", whole.at("positions"),
                            whole.at("decoder_layer"));
  return config;
}

LanguageModel::LanguageModel(const TransformerConfig& config)
    : config_(config), sinusoids_(config.positions, config.position_offset, config.position_width()) {
  Parameters& p = parameters();
  input_.words =
      &p.add("target_embedding.weight", ParameterSpec::word_table(config.target_vocabulary, config.d_model));
  if (config.positions == Positions::learned) {
    input_.positions = &p.add("target_positions.weight",
                              ParameterSpec::position_table(config.max_positions, config.d_model));
  }
  if (config.embedding_norm) input_.norm.emplace(p, "decoder.embedding_norm", config);
  biases_ = score_biases(p, "decoder", config);
  layers_ =
      decoder_layers(p, config, {sinusoids_.if_rotary(), biases_.get(), config.farthest_vectors()}, false);
  output_.emplace(p, config, *input_.words);
}

Logits LanguageModel::logits(Graph& g, const SourceInput& /*source*/, const TargetInput& target) const {
  Var x = embed(g, target.ids, target.sequences);
  const std::vector<bool> kept = g.layers_kept(std::ssize(layers_));
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (!kept[i]) continue;
    x = g.recomputed([&layer = *layers_[i], &g, x, sequences = target.sequences] {
      return layer(g, x, sequences, nullptr);
    });
  }
  return (*output_)(g, x);
}

std::unique_ptr<Decoder> LanguageModel::decoder(Graph& g, const DecoderCapacity& capacity) const {
  return std::make_unique<LanguageModelDecoder>(*this, g, capacity);
}

}  // namespace nmt
