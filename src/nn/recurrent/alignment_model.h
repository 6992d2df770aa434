// Attention of a recurrent decoder to the source.
#pragma once

#include <optional>
#include <string>

#include "nn/recurrent/layers.h"

namespace nmt {

/// What a decoder stores of the source.
struct Annotations {
  Var key;    // [source rows, encoder_width()]: what the attention compares with
  Var value;  // [source rows, encoder_width()]: the encoder's output
};

/// Computes the energy of an annotation y for a state s of the decoder; see AlignmentScore. Follows Bahdanau
/// et al. (2015), section 3.1 and appendix A.1.2, and Luong et al. (2015), section 3.1, whose concat is
/// additive as well: W [s; y] = W_1 s + W_2 y.
struct AlignmentModel {
  AlignmentModel(Parameters& parameters, const std::string& name, const RecurrentConfig& config);
  /// Computes the annotations from the encoder's output, [source rows, encoder_width()].
  Annotations annotations(Graph& g, const Var& encoded) const;

  std::optional<Projection> query, key;      // none: states or annotations are used as they are
  const Parameter* energy_weight = nullptr;  // v; null: energies are products
};

/// Which rows of a step attend to which annotations.
struct StepAttention {
  SequenceOffsets queries, keys;
  AttentionRows traced;
};

/// The attention of a decoder in the steps of one pass, for training, scoring and search.
class AttentionSteps {
 public:
  /// `rows`: upper limit of the rows of all steps together. `alignment` must outlive the pass.
  AttentionSteps(Graph& g, const AlignmentModel& alignment, Annotations source, std::int64_t rows);
  /// Returns the contexts of states, [rows, d_state]: [rows, encoder_width()].
  Var operator()(const Var& state, const StepAttention& attention);

 private:
  Graph& g_;
  const AlignmentModel& alignment_;
  Annotations source_;
  std::optional<StepwiseProjection> query_;
};

}  // namespace nmt
