// The recurrent encoder-decoder with attention (Bahdanau et al., 2015; Luong et al., 2015), with a choice of
// cells, depths and layers as in Nematus (Sennrich et al., 2017) and Marian.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "nn/model.h"
#include "nn/recurrent/decoder_network.h"
#include "nn/recurrent/layers.h"
#include "nn/recurrent/recurrent_config.h"

namespace nmt {

/// A stack of layers, each of which takes the output of the layer below.
struct RecurrentStack {
  /// `reversed`: the first layer runs from right to left; `alternating`: each layer runs in the opposite
  /// direction of the layer below.
  bool reversed = false, alternating = false;
  std::vector<RecurrentLayer> layers = {};
};

/// Two stacks, from left to right and from right to left, whose outputs are joined side by side, and optional
/// further layers on top. See Bahdanau et al., 2015, section 3.2, and for alternating directions Zhou et al.,
/// 2016.
struct RecurrentEncoder {
  RecurrentEncoder(Parameters& parameters, const RecurrentConfig& config);
  /// x: [source rows, d_embedding]; the result: [source rows, RecurrentConfig::encoder_width()].
  Var operator()(Graph& g, const Var& x, const SourceInput& source) const;

  RecurrentStack forward, backward, top;
  bool skip_connections;
};

class RecurrentModel final : public Model {
 public:
  explicit RecurrentModel(const RecurrentConfig& config);

  Logits logits(Graph& g, const SourceInput& source, const TargetInput& target) const override;
  std::unique_ptr<Decoder> decoder(Graph& g, const DecoderCapacity& capacity) const override;
  std::int64_t target_vocabulary() const override { return config_.target_vocabulary; }
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

/// Decodes with a recurrent network. The states of a hypothesis take one cache row per token. An index lists
/// the rows of each hypothesis, so beams are reordered without moving states. Annotations and initial states
/// are computed once per sentence.
class RecurrentDecoder final : public Decoder {
 public:
  RecurrentDecoder(const RecurrentModel& model, Graph& g, const DecoderCapacity& capacity);

  void encode(Graph& g, const SourceInput& source, const std::vector<std::int32_t>& begins) override;
  Logits step(Graph& g, const DecodingStep& step) override;

 private:
  /// Rows that a decoder passes on; empty if there are none.
  struct Cache {
    Tensor rows;   // [cache rows, d]
    Tensor start;  // [source rows, d]: initial states of hypotheses, in the first row of each sentence
  };
  /// The caches of a decoder layer; the second is for an LSTM only.
  struct LayerCache {
    Cache state, memory;
  };

  static Var read(Graph& g, const Cache& cache, const DecodingStep& step);
  static void write(Graph& g, const Var& states, const Cache& cache, const DecodingStep& step);
  DecoderState read(Graph& g, const DecodingStep& step) const;
  void write(Graph& g, const DecoderState& state, const DecodingStep& step) const;

  const RecurrentModel& model_;
  Tensor key_, value_;  // see Annotations
  Tensor start_;        // initial state of all layers
  std::vector<LayerCache> layers_;
  Cache attentional_;  // see DecoderState
};

}  // namespace nmt
