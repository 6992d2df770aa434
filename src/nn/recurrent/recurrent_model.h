// The recurrent encoder-decoder with attention (Bahdanau et al., 2015; Luong et al., 2015), with a choice of
// cells, depths and layers as in Nematus (Sennrich et al., 2017) and Marian.
#pragma once

#include <memory>

#include "nn/model.h"
#include "nn/recurrent/decoder_network.h"
#include "nn/recurrent/recurrent_config.h"
#include "nn/recurrent/recurrent_encoder.h"

namespace nmt {

class RecurrentModel final : public Model {
 public:
  explicit RecurrentModel(const RecurrentConfig& config);

  Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const override;
  std::unique_ptr<Decoder> decoder(Graph& g, const DecoderCapacity& capacity) const override;
  void check_vocabularies(bool shared) const override;
  int cross_attentions() const override { return 1; }
  Direction source_direction() const override { return config_.source_direction; }
  Direction target_direction() const override { return config_.target_direction; }
  DecoderStart decoder_start() const override { return config_.decoder_start; }

 private:
  friend class RecurrentDecoder;

  struct Tables {
    Tables(Parameters& parameters, const RecurrentConfig& config);
    const Parameter *source = nullptr, *target = nullptr;
  };

  /// Returns embeddings with dropout, [rows, d_embedding].
  static Var embed(Graph& g, const Parameter& table, const Tensor& ids, const Sequences& sequences);
  Annotations annotate(Graph& g, const SourceInput& source) const;
  /// Returns the initial decoder states, tanh(W mean(annotations) + b) for each sentence: [sentences,
  /// d_state].
  Var start(Graph& g, const Annotations& source, const SequenceOffsets& sentences) const;
  /// Returns the logits for the decoder's output, [rows, d_embedding].
  Logits project(const Var& states) const;

  RecurrentConfig config_;
  Tables tables_;
  RecurrentEncoder encoder_;
  Projection start_;
  std::unique_ptr<DecoderNetwork> network_;
  const Parameter* output_weight_ = nullptr;
  const Parameter* output_bias_ = nullptr;  // null: none
};

}  // namespace nmt
