// The first layer of a recurrent decoder, which attends to the source.
#pragma once

#include <optional>
#include <vector>

#include "nn/recurrent/layers.h"

namespace nmt {

/// What a decoder remembers of the source.
struct Annotations {
  Var key;    // [source rows, encoder_width()]: as the attention compares them
  Var value;  // [source rows, encoder_width()]: what the encoder gives
};

/// The alignment model of Bahdanau et al. (2015), section 3.1 and appendix A.1.2: the energy of an annotation
/// is v . tanh(W state + U annotation + b).
struct AlignmentModel {
  AlignmentModel(Parameters& parameters, const std::string& name, const RecurrentConfig& config);

  Projection query, key;           // W, without a bias; U
  const Parameter& energy_weight;  // v
};

/// A conditional cell: the state passes one cell with the target word as input, attends to the source, passes
/// a second cell with what it saw there, and maybe further ones without an input (Sennrich et al., 2017,
/// section 3; Miceli Barone et al., 2017).
struct ConditionalLayer {
  ConditionalLayer(Parameters& parameters, const std::string& name, const RecurrentConfig& config);

  std::vector<GatedCell> cells;
  AlignmentModel alignment;
};

/// Which rows of a step attend to which annotations.
struct StepAttention {
  SequenceOffsets queries, keys;
  AttentionRows traced;
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
  Graph& g_;
  const ConditionalLayer& layer_;
  Annotations source_;
  StepwiseProjection query_, context_;
  std::vector<CellRecurrence> cells_;
};

}  // namespace nmt
