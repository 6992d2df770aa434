// Decoding with a state for each hypothesis.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/recurrent/recurrent_model.h"

namespace nmt {

/// Decodes with a recurrent network. The states of a hypothesis take one cache row per token; an index tells
/// which rows belong to each hypothesis, so beams are reordered without moving states. Annotations and
/// initial states are computed once per sentence.
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
