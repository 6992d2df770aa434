// DecoderNetwork: the part of a recurrent decoder between word embeddings, annotations and the output layer.
#pragma once

#include <memory>
#include <vector>

#include "nn/model.h"
#include "nn/recurrent/alignment_model.h"
#include "nn/recurrent/target_steps.h"

namespace nmt {

/// What a decoder passes from token to token, one row for each sentence or hypothesis.
struct DecoderState {
  std::vector<RecurrentState> layers;
  Var attentional;  // [rows, d_embedding]: the input of the output layer; empty without input feeding
};

class DecoderNetwork {
 public:
  virtual ~DecoderNetwork() = default;
  DecoderNetwork(const DecoderNetwork&) = delete;
  DecoderNetwork& operator=(const DecoderNetwork&) = delete;

  /// Computes the annotations from the encoder's output, [source rows, encoder_width()].
  virtual Annotations annotations(Graph& g, const Var& encoded) const = 0;
  /// Returns the input of the output layer for each packed target row: [rows, d_embedding]. `words`: packed
  /// embeddings of the preceding tokens; `start`: the initial state of all layers, [rows of the first step,
  /// d_state], also used as the initial memory of an LSTM.
  virtual Var states(Graph& g, const Var& words, const Annotations& source, const TargetSteps& target,
                     const Var& start) const = 0;
  /// Returns the input of the output layer for the hypotheses of a search, [rows, d_embedding]. Replaces
  /// `state` by the next state of the hypotheses.
  virtual Var step(Graph& g, const Var& words, const Annotations& source, const DecodingStep& step,
                   DecoderState& state) const = 0;

 protected:
  DecoderNetwork() = default;
};

/// Returns the initial state of a layer: `start` as the state and, in an LSTM, as the memory.
inline RecurrentState start_state(RecurrentCell cell, const Var& start) {
  return {start, cell == RecurrentCell::lstm ? start : Var()};
}

}  // namespace nmt
