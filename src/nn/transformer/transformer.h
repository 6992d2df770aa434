// The Transformer (Vaswani et al., 2017), Figure 1.
#pragma once

#include <memory>
#include <mutex>
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
  bool starts_with_zero() const override { return config_.decoder_start == DecoderStart::zero; }

  /// The left half of Figure 1: [source rows, d_model].
  Var encode(Graph& g, const SourceInput& source) const;

 private:
  friend class TransformerDecoder;

  /// Embeddings times sqrt(d_model) plus positions (3.4, 3.5), with dropout.
  Var embed(Graph& g, const Parameter& table, const Parameter* learned_positions, const Tensor& ids,
            const Sequences& sequences) const;
  /// The linear layer before the softmax, of what the last decoder layer gives.
  Logits project(Graph& g, const Var& x) const;
  /// Section 3.5's sinusoids for at least this many positions.
  Parameter sinusoids(const Graph& g, std::int64_t positions) const;

  TransformerConfig config_;
  const Parameter* source_embedding_ = nullptr;
  const Parameter* target_embedding_ = nullptr;
  const Parameter* source_positions_ = nullptr;  // learned only
  const Parameter* target_positions_ = nullptr;
  const Parameter* output_weight_ = nullptr;
  const Parameter* output_bias_ = nullptr;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  std::unique_ptr<LayerNorm> encoder_norm_, decoder_norm_;  // pre-norm only
  // Constant tables, the last one for the longest sequence seen, whichever thread saw it. What other threads
  // asked for may still read the ones before.
  mutable std::mutex sinusoids_guard_;
  mutable std::vector<Tensor> sinusoids_;
};

/// PE(pos, 2i) = sin(pos / 10000^(2i / d)), PE(pos, 2i + 1) = cos(the same), row-major [positions, d].
std::vector<double> sinusoid_table(std::int64_t positions, std::int64_t d_model);

}  // namespace nmt
