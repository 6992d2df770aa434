// The decoder of Luong et al. (2015), which attends to the source after its last layer.
#pragma once

#include <vector>

#include "nn/recurrent/decoder_network.h"

namespace nmt {

/// From the state s of the last layer and the context c of the attention, the decoder computes the
/// attentional vector tanh(W_s s + W_c c) (equation 5, there W_c [c; s]), the input of the output layer, with
/// activation dropout. With input feeding (section 3.3), the first layer takes the attentional vector of the
/// previous step in addition to the word; it is zero at first.
class LuongDecoder final : public DecoderNetwork {
 public:
  LuongDecoder(Parameters& parameters, const RecurrentConfig& config);

  Annotations annotations(Graph& g, const Var& encoded) const override;
  Var states(Graph& g, const Var& words, const Annotations& source, const TargetSteps& target,
             const Var& start) const override;
  Var step(Graph& g, const Var& words, const Annotations& source, const DecodingStep& step,
           DecoderState& state) const override;

 private:
  friend class LuongSteps;

  RecurrentCell cell_;
  bool input_feeding_, skip_connections_;
  std::int64_t d_embedding_;
  std::vector<RecurrentLayer> layers_;
  AlignmentModel alignment_;
  Projection state_, context_;  // W_s, W_c, without biases
};

}  // namespace nmt
