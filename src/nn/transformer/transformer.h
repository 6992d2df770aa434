// The Transformer (Vaswani et al., 2017), Figure 1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "nn/model.h"
#include "nn/transformer/embeddings.h"
#include "nn/transformer/layers.h"
#include "nn/transformer/transformer_config.h"

namespace nmt {

class Transformer final : public Model {
 public:
  explicit Transformer(const TransformerConfig& config);

  Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const override;
  std::unique_ptr<Decoder> decoder(Graph& g, const DecoderCapacity& capacity) const override;
  std::int64_t target_vocabulary() const override { return config_.target_vocabulary; }
  std::optional<std::int64_t> max_positions() const override { return config_.longest_sequence(); }
  void check_vocabularies(bool shared) const override;
  int cross_attentions() const override { return static_cast<int>(decoder_.size()); }
  Direction source_direction() const override { return config_.source_direction; }
  Direction target_direction() const override { return config_.target_direction; }
  DecoderStart decoder_start() const override { return config_.decoder_start; }
  SourceSpecialTokens source_special_tokens() const override { return config_.source_special_tokens; }

  /// Runs the encoder, the left half of Figure 1, and returns its output: [source rows, d_model].
  Var encode(Graph& g, const SourceInput& source) const;

 private:
  friend class TransformerDecoder;

  /// Adds the tables of both sides, and their normalization.
  void add_inputs();
  void add_layers();
  /// Returns the input of the layers of one side.
  Var embed(Graph& g, const InputEmbedding& input, const Tensor& ids, const Sequences& sequences) const {
    return input(g, ids, sequences, config_, sinusoids_);
  }

  TransformerConfig config_;
  Sinusoids sinusoids_;
  InputEmbedding source_, target_;
  std::unique_ptr<ScoreBiases> encoder_biases_, decoder_biases_;
  std::vector<EncoderLayer> encoder_;
  std::optional<LayerNorm> encoder_norm_;
  DecoderLayers decoder_;
  std::optional<OutputProjection> output_;
};

/// Decodes with a Transformer. Keys and values of self-attention (or the sums of an average, or the states of
/// a recurrence) take one cache row per hypothesis token. An index has the rows of the past of each
/// hypothesis, so beams are reordered without moving rows. Keys and values of cross-attention are computed
/// once per sentence and shared by its hypotheses.
class TransformerDecoder final : public Decoder {
 public:
  TransformerDecoder(const Transformer& model, Graph& g, const DecoderCapacity& capacity);

  void encode(Graph& g, const SourceInput& source, const std::vector<std::int32_t>& begins) override;
  Logits step(Graph& g, const DecodingStep& step) override;

 private:
  struct Layer {
    Tensor memory;  // keys and values, side by side, [source rows, 2 key_width]
    Tensor cache;   // see DecoderLayer::cache
  };

  const Transformer& model_;
  std::vector<Layer> layers_;
};

}  // namespace nmt
