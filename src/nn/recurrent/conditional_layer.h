// The first layer of a recurrent decoder that attends to the source within a step.
#pragma once

#include <vector>

#include "nn/recurrent/alignment_model.h"

namespace nmt {

/// A conditional cell: the state passes one cell with the target word as input, attends to the source, passes
/// a second cell with what it saw there, and maybe further ones without an input (Sennrich et al., 2017,
/// section 3; Miceli Barone et al., 2017).
struct ConditionalLayer {
  ConditionalLayer(Parameters& parameters, const std::string& name, const RecurrentConfig& config);

  AlignmentModel alignment;
  std::vector<GatedCell> cells;
};

/// The steps of a conditional layer in one pass, in training and scoring as in search.
class ConditionalSteps {
 public:
  /// For at most so many rows in all steps together. `layer` must outlive the pass.
  ConditionalSteps(Graph& g, const ConditionalLayer& layer, const Annotations& source, std::int64_t rows);

  /// What a step makes of its rows.
  struct Step {
    RecurrentState state;
    Var context;  // [rows, encoder_width()]
  };
  /// `words`: what the first cell takes of its input, [rows, gates * d_state].
  Step operator()(const Var& words, const RecurrentState& previous, const StepAttention& attention);

 private:
  AttentionSteps attention_;
  StepwiseProjection context_;
  std::vector<CellRecurrence> cells_;
};

}  // namespace nmt
