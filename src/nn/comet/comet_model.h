// COMET: judges translations with an encoder like XLM-RoBERTa and a small feed-forward network, the estimator
// (Rei et al., 2020, "COMET: A Neural Framework for MT Evaluation").
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "nn/comet/comet_config.h"
#include "nn/network.h"
#include "nn/transformer/embeddings.h"
#include "nn/transformer/layers.h"

namespace nmt {

class CometModel final : public Network {
 public:
  explicit CometModel(const CometConfig& config);

  const CometConfig& config() const { return config_; }
  /// Returns the length of the longest sequence, special tokens included.
  std::int64_t longest_sequence() const { return *config_.encoder.longest_sequence(); }

  /// Runs the encoder. Calls `each` with every hidden state [rows, d_model]: 0 is that of the embeddings, the
  /// others are the outputs of the layers.
  using HiddenState = std::function<void(std::int64_t number, const Var& x)>;
  void encode(Graph& g, const SourceInput& input, const HiddenState& each) const;
  /// Returns the logits of the tags of tokens from the hidden state config().word_layer: [rows, tags]. Only
  /// for models with tags.
  Var tags(Graph& g, const Var& x) const;
  /// Returns the output of the estimator, before the output activation, for rows of features: [rows, 1].
  /// features: [rows, config().features() * d_model].
  Var estimate(Graph& g, const Var& features) const;
  /// Returns the product of some vectors of features, from number `first` on, with their columns of the
  /// estimator's first layer: [rows, its width]. x: [rows, n * d_model]. Only for models of kind regression.
  Var part_of_first_layer(Graph& g, const Var& x, std::int64_t first) const;
  /// Returns the output of the estimator, as estimate() does, from parts of its first layer. Together they
  /// cover all features.
  Var estimate_from_parts(Graph& g, const std::vector<Var>& parts) const;

  /// Returns the factors with which hidden states are mixed: [1, encoder_layers + 1].
  const Parameter& mix() const { return mix_; }

 private:
  struct Layer {
    const Parameter& weight;
    const Parameter& bias;
  };
  /// Adds a linear layer with this weight.
  Layer layer(const std::string& name, const ParameterSpec& weight);

  CometConfig config_;
  Sinusoids sinusoids_;
  InputEmbedding input_;
  std::vector<EncoderLayer> layers_;
  std::optional<LayerNorm> final_norm_;
  const Parameter& mix_;
  std::vector<Layer> estimator_;
  std::optional<Layer> tags_;
};

}  // namespace nmt
