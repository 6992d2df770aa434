// A language model: the decoder of a Transformer without attention over a source (Liu et al., 2018, section
// 4.2.3, the "Transformer decoder"; Radford et al., 2018).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "nn/model.h"
#include "nn/transformer/embeddings.h"
#include "nn/transformer/layers.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

/// Returns the settings of a language model, except `type`: those of a Transformer that concern its decoder.
const std::vector<ModelKey>& language_model_keys();

/// Returns the checked settings of a language model. Throws ModelSettingError as TransformerConfig does.
TransformerConfig language_model_config(const ModelSettings& settings);

/// Models p(target), token by token. Sources are ignored.
class LanguageModel final : public Model {
 public:
  explicit LanguageModel(const TransformerConfig& config);

  Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const override;
  std::unique_ptr<Decoder> decoder(Graph& g, const DecoderCapacity& capacity) const override;
  std::int64_t target_vocabulary() const override { return config_.target_vocabulary; }
  bool has_source() const override { return false; }
  std::optional<std::int64_t> max_positions() const override { return config_.longest_sequence(); }
  Direction target_direction() const override { return config_.target_direction; }
  DecoderStart decoder_start() const override { return config_.decoder_start; }

 private:
  friend class LanguageModelDecoder;

  Var embed(Graph& g, const Tensor& ids, const Sequences& sequences) const {
    return input_(g, ids, sequences, config_, sinusoids_);
  }

  TransformerConfig config_;
  Sinusoids sinusoids_;
  InputEmbedding input_;
  std::unique_ptr<ScoreBiases> biases_;
  DecoderLayers layers_;
  std::optional<OutputProjection> output_;
};

}  // namespace nmt
