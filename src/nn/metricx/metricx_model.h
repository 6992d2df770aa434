// MetricX: judges translations with an mT5 whose decoder makes one step (Juraska et al., 2023, "MetricX-23",
// and 2024, "MetricX-24").
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "nn/input.h"
#include "nn/metricx/metricx_config.h"
#include "nn/network.h"
#include "nn/transformer/embeddings.h"
#include "nn/transformer/layers.h"

namespace nmt {

class MetricXModel final : public Network {
 public:
  explicit MetricXModel(const MetricXConfig& config);

  const MetricXConfig& config() const { return config_; }

  /// Returns the normalized output of the decoder for each source: [sources, d_model]. `input`: sources
  /// without EOS, and targets of one row, whose id is 0.
  Var read(Graph& g, const BatchInput& input) const;
  /// Returns the row of the output layer whose product with an output of the decoder is the score: [1,
  /// d_model].
  const Parameter& score() const { return score_; }

 private:
  MetricXConfig config_;
  Sinusoids no_positions_;
  InputEmbedding source_, start_;
  std::unique_ptr<ScoreBiases> encoder_biases_, decoder_biases_;
  std::vector<EncoderLayer> encoder_;
  std::optional<LayerNorm> encoder_norm_, decoder_norm_;
  DecoderLayers decoder_;
  const Parameter& score_;
};

}  // namespace nmt
