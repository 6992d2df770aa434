// How a recurrent decoder attends to the source.
#pragma once

#include <optional>
#include <string>

#include "nn/recurrent/layers.h"

namespace nmt {

/// What a decoder remembers of the source.
struct Annotations {
  Var key;    // [source rows, encoder_width()]: as the attention compares them
  Var value;  // [source rows, encoder_width()]: what the encoder gives
};

/// Which energy an annotation has for a state of the decoder: see AlignmentScore. Bahdanau et al. (2015),
/// section 3.1 and appendix A.1.2, and Luong et al. (2015), section 3.1, whose concat is additive, too: W [s;
/// y] = W_1 s + W_2 y.
struct AlignmentModel {
  AlignmentModel(Parameters& parameters, const std::string& name, const RecurrentConfig& config);
  /// Of what the encoder gives, [source rows, encoder_width()].
  Annotations annotations(Graph& g, const Var& encoded) const;

  std::optional<Projection> query, key;      // without one: states, annotations as they are
  const Parameter* energy_weight = nullptr;  // v; none: energies are products
};

/// Which rows of a step attend to which annotations.
struct StepAttention {
  SequenceOffsets queries, keys;
  AttentionRows traced;
};

/// The attention of a decoder in the steps of one pass, in training and scoring as in search.
class AttentionSteps {
 public:
  /// For at most so many rows in all steps together. `alignment` must outlive the pass.
  AttentionSteps(Graph& g, const AlignmentModel& alignment, Annotations source, std::int64_t rows);
  /// What states, [rows, d_state], see of the source: [rows, encoder_width()].
  Var operator()(const Var& state, const StepAttention& attention);

 private:
  Graph& g_;
  const AlignmentModel& alignment_;
  Annotations source_;
  std::optional<StepwiseProjection> query_;
};

}  // namespace nmt
