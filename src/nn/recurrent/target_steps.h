// The target of a batch as a recurrent decoder goes along it, a token of each sentence a step.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/input.h"
#include "nn/recurrent/alignment_model.h"

namespace nmt {

/// The rows of a step among those of all steps, in the order of time, and what they attend to.
struct TargetStep {
  std::int64_t begin, count;
  StepAttention attention;
};

/// All steps of a pass. Each gives the sentences a row that have a token, in the order of their lengths, and
/// attends to the packed annotations of their sources.
class TargetSteps {
 public:
  TargetSteps(Graph& g, const SourceInput& source, const TargetInput& target);

  const TimeMajor& order() const { return order_; }
  /// The packed rows.
  const Sequences& sequences() const { return sequences_; }
  const std::vector<TargetStep>& steps() const { return steps_; }
  /// Of a row for each sentence, those of the first step in its order.
  Var first_step(Graph& g, const Var& x) const;
  /// Once all steps have been computed: leaves the weights of attention where somebody wants them, and finds
  /// the gradients of energies when a loss is taken of them.
  void pack_weights(Graph& g) const;

 private:
  TimeMajor order_;
  Sequences sequences_;
  Tensor sentences_, inverse_;  // those of the first step, and back
  AttentionWeights packed_;     // without tensors where nobody wants them
  AttentionRows in_time_;       // the same in the order of time
  std::vector<TargetStep> steps_;
};

}  // namespace nmt
