// Decoding with a state for each hypothesis.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/recurrent/recurrent_model.h"

namespace nmt {

/// The states of a hypothesis take a row of a cache for each of its tokens; the index that tells which rows
/// are its past tells where those are that it goes on from, so beams are reordered without moving them.
/// Annotations, and what hypotheses begin with, are computed once a sentence.
class RecurrentDecoder final : public Decoder {
 public:
  RecurrentDecoder(const RecurrentModel& model, Graph& g, const DecoderCapacity& capacity);

  void encode(Graph& g, const SourceInput& source, const std::vector<std::int32_t>& begins) override;
  Logits step(Graph& g, const DecodingStep& step) override;

 private:
  /// Rows that a decoder hands on; empty where it has none.
  struct Cache {
    Tensor rows;   // [cache rows, d]
    Tensor start;  // [source rows, d]: what hypotheses begin with, in the first row of each sentence
  };
  /// Of a layer of the decoder; the second one is of an LSTM.
  struct LayerCache {
    Cache state, memory;
  };

  static Var read(Graph& g, const Cache& cache, const DecodingStep& step);
  static void write(Graph& g, const Var& states, const Cache& cache, const DecodingStep& step);
  DecoderState read(Graph& g, const DecodingStep& step) const;
  void write(Graph& g, const DecoderState& state, const DecodingStep& step) const;

  const RecurrentModel& model_;
  Tensor key_, value_;  // see Annotations
  Tensor start_;        // that of all layers
  std::vector<LayerCache> layers_;
  Cache attentional_;  // see DecoderState
};

}  // namespace nmt
