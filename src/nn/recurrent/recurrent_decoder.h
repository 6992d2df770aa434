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
  /// Of a layer of the decoder, [cache rows, d_state] each; the second one is empty but for an LSTM.
  struct Cache {
    Tensor state, memory;
  };

  RecurrentState read(Graph& g, const Cache& cache, const DecodingStep& step) const;
  static void write(Graph& g, const RecurrentState& state, const Cache& cache, const DecodingStep& step);

  const RecurrentModel& model_;
  Tensor key_, value_;  // see Annotations
  Tensor start_;        // [source rows, d_state]: in the first row of each sentence
  std::vector<Cache> caches_;
};

}  // namespace nmt
