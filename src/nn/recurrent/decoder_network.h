// DecoderNetwork: what is between the words of a target, the annotations of its source and the output layer.
#pragma once

#include <memory>
#include <vector>

#include "nn/model.h"
#include "nn/recurrent/alignment_model.h"
#include "nn/recurrent/target_steps.h"

namespace nmt {

/// What a decoder hands on from token to token, a row for each sentence or hypothesis.
struct DecoderState {
  std::vector<RecurrentState> layers;
  Var attentional;  // [rows, d_embedding]: what it gave to the output layer; empty but with input feeding
};

class DecoderNetwork {
 public:
  virtual ~DecoderNetwork() = default;
  DecoderNetwork(const DecoderNetwork&) = delete;
  DecoderNetwork& operator=(const DecoderNetwork&) = delete;

  /// Of what the encoder gives, [source rows, encoder_width()].
  virtual Annotations annotations(Graph& g, const Var& encoded) const = 0;
  /// What the output layer takes for each row of a target, packed: [rows, d_embedding]. `words`: the packed
  /// embeddings of the tokens before; `start`: the state that layers begin with, [rows of the first step,
  /// d_state], as the memory of an LSTM as well.
  virtual Var states(Graph& g, const Var& words, const Annotations& source, const TargetSteps& target,
                     const Var& start) const = 0;
  /// The same for the hypotheses of a search. `state` becomes what they hand on.
  virtual Var step(Graph& g, const Var& words, const Annotations& source, const DecodingStep& step,
                   DecoderState& state) const = 0;

 protected:
  DecoderNetwork() = default;
};

/// What a layer begins with: this as the state, and as the memory of an LSTM.
inline RecurrentState start_state(RecurrentCell cell, const Var& start) {
  return {start, cell == RecurrentCell::lstm ? start : Var()};
}

}  // namespace nmt
