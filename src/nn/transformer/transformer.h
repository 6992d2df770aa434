// The Transformer (Vaswani et al., 2017), Figure 1.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "nn/model.h"
#include "nn/transformer/layers.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

class Transformer final : public Model {
 public:
  explicit Transformer(const TransformerConfig& config);

  Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const override;
  std::unique_ptr<Decoder> decoder(Graph& g, const DecoderCapacity& capacity) const override;
  std::optional<std::int64_t> max_positions() const override;
  void check_vocabularies(bool shared) const override;
  int cross_attentions() const override { return static_cast<int>(decoder_.size()); }
  DecoderStart decoder_start() const override { return config_.decoder_start; }
  SourceSpecialTokens source_special_tokens() const override { return config_.source_special_tokens; }

  /// The left half of Figure 1: [source rows, d_model].
  Var encode(Graph& g, const SourceInput& source) const;

 private:
  friend class TransformerDecoder;

  /// What encoder and decoder begin with.
  struct Input {
    const Parameter* words = nullptr;
    const Parameter* positions = nullptr;  // learned only
    std::optional<LayerNorm> norm;
  };

  /// Adds the tables of both sides, and their normalization.
  void add_inputs();
  /// Embeddings times sqrt(d_model), or another scale, plus positions (3.4, 3.5), with dropout; normalized
  /// where the model has it.
  Var embed(Graph& g, const Input& input, const Tensor& ids, const Sequences& sequences) const;
  /// The position embeddings of sequences that are no longer than this. Throws Error where there are too few.
  Parameter positions(const Graph& g, const Input& input, std::int64_t longest) const;
  /// The linear layer before the softmax, of what the last decoder layer gives.
  Logits project(Graph& g, const Var& x) const;

  TransformerConfig config_;
  Sinusoids sinusoids_;
  Input source_, target_;
  std::vector<EncoderLayer> encoder_;
  std::vector<std::shared_ptr<const DecoderLayer>> decoder_;  // layers that share weights are one
  std::optional<LayerNorm> encoder_norm_, decoder_norm_;
  const Parameter* output_weight_ = nullptr;
  const Parameter* output_bias_ = nullptr;  // may be none
};

}  // namespace nmt
