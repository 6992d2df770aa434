// The first layer of a recurrent decoder that attends to the source within a step.
#pragma once

#include <vector>

#include "nn/recurrent/alignment_model.h"

namespace nmt {

/// A conditional cell: the state passes through a first cell with the target word as input, attends to the
/// source, passes through a second cell with the resulting context as input, and optionally through further
/// cells without an input (Sennrich et al., 2017, section 3; Miceli Barone et al., 2017).
struct ConditionalLayer {
  ConditionalLayer(Parameters& parameters, const std::string& name, const RecurrentConfig& config);

  AlignmentModel alignment;
  std::vector<GatedCell> cells;
};

/// The steps of a conditional layer in one pass, for training, scoring and search.
class ConditionalSteps {
 public:
  /// `rows`: upper limit of the rows of all steps together. `layer` must outlive the pass.
  ConditionalSteps(Graph& g, const ConditionalLayer& layer, const Annotations& source, std::int64_t rows);

  /// The result of a step.
  struct Step {
    RecurrentState state;
    Var context;  // [rows, encoder_width()]
  };
  /// Computes a step. `words`: the projected input of the first cell, [rows, gates * d_state].
  Step operator()(const Var& words, const RecurrentState& previous, const StepAttention& attention);

 private:
  AttentionSteps attention_;
  StepwiseProjection context_;
  std::vector<CellRecurrence> cells_;
};

}  // namespace nmt
