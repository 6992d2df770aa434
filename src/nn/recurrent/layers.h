// The parts of recurrent encoders and decoders: small structs with parameters that are called with a graph.
// Rows are packed unless they are said to be in time-major order (TimeMajor).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/operations.h"
#include "graph/recurrent.h"
#include "nn/recurrent/recurrent_config.h"
#include "nn/weights/parameters.h"

namespace nmt {

/// The gain of a layer normalization without its own bias; may be absent.
struct Gain {
  const Parameter* weight = nullptr;
  double epsilon = 0;
  explicit operator bool() const { return weight != nullptr; }
};

/// The parameter names of a projection; without a bias name there is no bias.
struct ProjectionNames {
  std::string weight, bias, gain;
};

/// Computes x W^T + b, or with layer normalization norm(x W^T) + b.
struct Projection {
  Projection(Parameters& parameters, const ProjectionNames& names, const ParameterSpec& weight,
             const RecurrentConfig& config);
  /// Adds parameters NAME.weight, [out, in], with NAME.bias and NAME_norm.weight.
  Projection(Parameters& parameters, const std::string& name, std::int64_t out, std::int64_t in,
             const RecurrentConfig& config);
  Var operator()(Graph& g, const Var& x) const;
  /// Completes the projection: with layer normalization `product` is x W^T, without it x W^T + b.
  Var normalize(Graph& g, const Var& product) const;
  /// Returns the bias that is added together with the product x W^T; empty if there is none or normalization
  /// comes first.
  Parameter bias_of_product() const { return gain ? Parameter() : bias_or_none(); }
  Parameter bias_or_none() const { return bias != nullptr ? *bias : Parameter(); }

  const Parameter& weight;
  const Parameter* bias = nullptr;  // null: none
  Gain gain;
};

/// A projection whose rows are computed step by step in a recurrence.
class StepwiseProjection {
 public:
  /// `rows`: upper limit of the rows of all steps together. `projection` must outlive the pass.
  StepwiseProjection(Graph& g, const Projection& projection, std::int64_t rows)
      : g_(g), projection_(projection), product_(g, projection.weight, projection.bias_of_product(), rows) {}
  Var operator()(const Var& x) { return projection_.normalize(g_, product_(x)); }

 private:
  Graph& g_;
  const Projection& projection_;
  StepwiseLinear product_;
};

/// The product to which the bias of a cell is added. The choice matters in a GRU, whose candidate multiplies
/// r with the product of the state.
enum class CellBias : std::uint8_t { input, state };

/// The numbers of columns of a cell's input and state.
struct CellWidths {
  std::int64_t input, state;
};

/// A GRU or an LSTM (see RecurrentStep) with one bias, and optional layer normalization of both of its
/// products. Parameters have the names of PyTorch's GRUCell and LSTMCell.
struct GatedCell {
  /// An input width of 0 means that the cell has no input.
  GatedCell(Parameters& parameters, const std::string& name, RecurrentCell cell, const CellWidths& widths,
            CellBias bias, const RecurrentConfig& config);

  /// Returns the weights that a recurrence needs in addition to the projection of the input.
  RecurrentWeights recurrent_weights() const;

  RecurrentCell cell;
  CellBias bias_place;
  std::optional<Projection> input;  // the projection of the input to the gates
  const Parameter& state_weight;
  const Parameter* bias = nullptr;  // set if the projection does not include the bias
  Gain state_gain;
};

/// A layer whose state passes through all cells in each step; the first cell takes the input (deep
/// transition; Pascanu et al., 2014).
struct RecurrentLayer {
  RecurrentLayer(Parameters& parameters, const std::string& name, RecurrentCell cell,
                 const CellWidths& widths, std::int64_t transition_depth, const RecurrentConfig& config);
  /// Returns the states after each step, [rows, d_state], of sequences that run in this order. `start` has a
  /// row, in that order, for each sequence that has a step.
  Var operator()(Graph& g, const Var& x, const TimeMajor& order, const RecurrentState& start) const;
  /// Returns the states after each step, [rows, d_state], starting from zeros.
  Var operator()(Graph& g, const Var& x, const TimeMajor& order) const;
  /// Computes one step of some sequences, one row each.
  RecurrentState step(Graph& g, const Var& x, const RecurrentState& previous) const;

  std::vector<GatedCell> cells;
  std::int64_t d_state;

 private:
  /// Runs the layer over rows that are already in time-major order.
  Var run(Graph& g, const Var& x, const std::vector<std::int64_t>& batch_sizes,
          const RecurrentState& start) const;
};

/// The steps of a layer in one pass, computed one by one.
class LayerSteps {
 public:
  /// `rows`: upper limit of the rows of all steps together. `layer` must outlive the pass.
  LayerSteps(Graph& g, const RecurrentLayer& layer, std::int64_t rows);
  /// Computes the next step of some sequences, one row each.
  RecurrentState operator()(const Var& x, const RecurrentState& previous);

 private:
  StepwiseProjection input_;
  std::vector<CellRecurrence> cells_;
};

/// Combines x, [rows, d], and the output y of a layer: dropout(y), or x + dropout(y) with a skip connection.
Var connect(Graph& g, const Var& x, const Var& y, const Sequences& sequences, bool has_skip_connection);
/// Combines x and the output y of a layer, using the given dropout.
Var connect(Graph& g, const Dropout& dropout, const Var& x, const Var& y, bool has_skip_connection);

/// The data of the source that a decoder stores.
struct Annotations {
  Var key;    // [source rows, encoder_width()]: compared with the decoder's state
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

/// The annotations to which each row of a step attends.
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

/// A conditional cell. The state passes through a first cell with the target word as input and attends to the
/// source. It then passes through a second cell with the resulting context as input, and optionally through
/// further cells without an input (Sennrich et al., 2017, section 3; Miceli Barone et al., 2017).
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
