// The decoders of recurrent models, after Bahdanau et al. and Luong et al.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nn/input.h"
#include "nn/model.h"
#include "nn/recurrent/layers.h"

namespace nmt {

/// The rows of a step, in time-major order, and the annotations to which they attend.
struct TargetStep {
  std::int64_t begin, count;
  StepAttention attention;
};

/// All steps of a pass. Each step has one row for each sentence that still has a token, sorted by sentence
/// length, and attends to the packed annotations of the sources.
class TargetSteps {
 public:
  TargetSteps(Graph& g, const SourceInput& source, const TargetInput& target);

  const TimeMajor& order() const { return order_; }
  /// Returns the packed rows.
  const Sequences& sequences() const { return sequences_; }
  const std::vector<TargetStep>& steps() const { return steps_; }
  /// Given one row per sentence, returns the rows of the first step in its order.
  Var first_step(Graph& g, const Var& x) const;
  /// Stores attention weights if they are wanted. If a loss depends on the weights, connects the gradients of
  /// energies. Call this after all steps.
  void pack_weights(Graph& g) const;

 private:
  TimeMajor order_;
  Sequences sequences_;
  Tensor sentences_, inverse_;  // the order of the first step, and its inverse
  AttentionWeights packed_;     // without tensors if not wanted
  AttentionRows in_time_;       // attention weights in time-major order
  std::vector<TargetStep> steps_;
};

/// The state that a decoder passes from token to token, one row for each sentence or hypothesis.
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

/// The decoder of Luong et al. (2015). From the state s of the last layer and the context c of the attention,
/// it computes the attentional vector tanh(W_s s + W_c c), which is W_c [c; s] in equation 5. With activation
/// dropout, this vector is the input of the output layer. With input feeding (section 3.3), the first layer
/// takes the word and the attentional vector of the previous step, which is zero in the first step.
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
