// The decoder of Bahdanau et al. (2015), whose first layer attends to the source within a step.
#pragma once

#include <string>
#include <vector>

#include "nn/recurrent/conditional_layer.h"
#include "nn/recurrent/decoder_network.h"

namespace nmt {

/// Deep output (Pascanu et al., 2014) between the states and the output layer: tanh(W_y word + W_s state +
/// W_c context + biases), where word is the previous target word. Applies activation dropout.
struct DeepOutput {
  DeepOutput(Parameters& parameters, const std::string& name, const RecurrentConfig& config);
  /// Returns [rows, d_embedding].
  Var operator()(Graph& g, const Var& previous, const Var& s, const Var& c, const Sequences& sequences) const;

  Projection word, state, context;
};

/// The decoder with optional further layers on top of the first, as in Marian. The input of these layers and
/// the output are computed for all steps at once.
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
