// The steps of a recurrent decoder along the targets of a batch: one token of each sentence per step.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/input.h"
#include "nn/recurrent/alignment_model.h"

namespace nmt {

/// The rows of a step, in time-major order, and what they attend to.
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
  /// Call after all steps: stores attention weights if they are wanted, and connects the gradients of
  /// energies if a loss is taken of the weights.
  void pack_weights(Graph& g) const;

 private:
  TimeMajor order_;
  Sequences sequences_;
  Tensor sentences_, inverse_;  // the order of the first step, and its inverse
  AttentionWeights packed_;     // without tensors if not wanted
  AttentionRows in_time_;       // attention weights in time-major order
  std::vector<TargetStep> steps_;
};

}  // namespace nmt
