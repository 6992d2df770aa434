// The decoder of Bahdanau et al. (2015), whose first layer attends to the source within a step.
#pragma once

#include <string>
#include <vector>

#include "nn/recurrent/conditional_layer.h"
#include "nn/recurrent/decoder_network.h"

namespace nmt {

/// Between the states and the output layer: tanh(W_y word + W_s state + W_c context + biases), the word being
/// the one before (deep output; Pascanu et al., 2014). With dropout of activations.
struct DeepOutput {
  DeepOutput(Parameters& parameters, const std::string& name, const RecurrentConfig& config);
  /// [rows, d_embedding].
  Var operator()(Graph& g, const Var& previous, const Var& s, const Var& c, const Sequences& sequences) const;

  Projection word, state, context;
};

/// With further layers on the first one, as in Marian. What is fed into these, and the output, is computed
/// for all steps at once.
class BahdanauDecoder final : public DecoderNetwork {
 public:
  BahdanauDecoder(Parameters& parameters, const RecurrentConfig& config);

  Annotations annotations(Graph& g, const Var& encoded) const override;
  Var states(Graph& g, const Var& words, const Annotations& source, const TargetSteps& target,
             const Var& start) const override;
  Var step(Graph& g, const Var& words, const Annotations& source, const DecodingStep& step,
           DecoderState& state) const override;

 private:
  RecurrentCell cell_;
  bool skip_connections_;
  ConditionalLayer first_layer_;
  DeepOutput output_;
  std::vector<RecurrentLayer> higher_layers_;
};

}  // namespace nmt
