// The parts that a recurrent encoder and decoder are made of: small structs that hold parameters and are
// called with a graph. Rows are packed unless they are said to be in the order of time (TimeMajor).
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

/// The gain of a layer normalization without a bias of its own, or of none.
struct Gain {
  const Parameter* weight = nullptr;
  double epsilon = 0;
  explicit operator bool() const { return weight != nullptr; }
};

/// What the parameters of a projection are called; without a name there is no bias.
struct ProjectionNames {
  std::string weight, bias, gain;
};

/// x W^T + b, or with layer normalization norm(x W^T) + b.
struct Projection {
  Projection(Parameters& parameters, const ProjectionNames& names, const ParameterSpec& weight,
             const RecurrentConfig& config);
  /// [out, in], NAME.weight, with NAME.bias and NAME_norm.weight.
  Projection(Parameters& parameters, const std::string& name, std::int64_t out, std::int64_t in,
             const RecurrentConfig& config);
  Var operator()(Graph& g, const Var& x) const;
  /// What is left to do with x W^T, or without layer normalization x W^T + b.
  Var normalize(Graph& g, const Var& product) const;
  /// The bias that is added to x W^T at once; empty where there is none, or where normalization comes first.
  Parameter bias_of_product() const { return gain ? Parameter() : bias_or_none(); }
  Parameter bias_or_none() const { return bias != nullptr ? *bias : Parameter(); }

  const Parameter& weight;
  const Parameter* bias = nullptr;  // may be none
  Gain gain;
};

/// A projection of rows of which some come in each step of a recurrence.
class StepwiseProjection {
 public:
  /// For at most so many rows in all steps together. `projection` must outlive the pass.
  StepwiseProjection(Graph& g, const Projection& projection, std::int64_t rows)
      : g_(g), projection_(projection), product_(g, projection.weight, projection.bias_of_product(), rows) {}
  Var operator()(const Var& x) { return projection_.normalize(g_, product_(x)); }

 private:
  Graph& g_;
  const Projection& projection_;
  StepwiseLinear product_;
};

/// To which product of a cell its bias is added. It makes a difference in a GRU, whose candidate takes r
/// times the product of the state.
enum class CellBias : std::uint8_t { input, state };

/// Columns of the input of a cell and of its state.
struct CellWidths {
  std::int64_t input, state;
};

/// A GRU or an LSTM (see RecurrentStep) with one bias, and with layer normalization of both of its products.
/// Parameters have the names of PyTorch's GRUCell and LSTMCell.
struct GatedCell {
  /// An input of no columns: it has none.
  GatedCell(Parameters& parameters, const std::string& name, RecurrentCell cell, const CellWidths& widths,
            CellBias bias, const RecurrentConfig& config);

  /// What a recurrence needs beside the projection of the input.
  RecurrentWeights recurrent_weights() const;

  RecurrentCell cell;
  CellBias bias_place;
  std::optional<Projection> input;  // what the gates take of the input
  const Parameter& state_weight;
  const Parameter* bias = nullptr;  // where that projection does not have it
  Gain state_gain;
};

/// A layer in each step of which the state passes all cells, the first of which takes the input (deep
/// transition; Pascanu et al., 2014).
struct RecurrentLayer {
  RecurrentLayer(Parameters& parameters, const std::string& name, RecurrentCell cell,
                 const CellWidths& widths, std::int64_t transition_depth, const RecurrentConfig& config);
  /// The states after each step, [rows, d_state], of sequences that run in this order. `start` has a row for
  /// each of them that has a step, in that order.
  Var operator()(Graph& g, const Var& x, const TimeMajor& order, const RecurrentState& start) const;
  /// The same, beginning with zeros.
  Var operator()(Graph& g, const Var& x, const TimeMajor& order) const;
  /// One step of some sequences, a row each.
  RecurrentState step(Graph& g, const Var& x, const RecurrentState& previous) const;

  std::vector<GatedCell> cells;
  std::int64_t d_state;

 private:
  /// The same of rows that are in the order of time already.
  Var run(Graph& g, const Var& x, const std::vector<std::int64_t>& batch_sizes,
          const RecurrentState& start) const;
};

/// The steps of a layer in one pass, one by one.
class LayerSteps {
 public:
  /// For at most so many rows in all steps together. `layer` must outlive the pass.
  LayerSteps(Graph& g, const RecurrentLayer& layer, std::int64_t rows);
  /// The next step, of some sequences with a row each.
  RecurrentState operator()(const Var& x, const RecurrentState& previous);

 private:
  StepwiseProjection input_;
  std::vector<CellRecurrence> cells_;
};

/// What becomes of x, [rows, d], with what a layer makes of it: y with dropout, or x + that.
Var connect(Graph& g, const Var& x, const Var& y, const Sequences& sequences, bool has_skip_connection);
/// The same with this dropout.
Var connect(Graph& g, const Dropout& dropout, const Var& x, const Var& y, bool has_skip_connection);

}  // namespace nmt
