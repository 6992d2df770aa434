#include "nn/recurrent/layers.h"

#include <fmt/format.h>

namespace nmt {
namespace {

Gain gain_of(Parameters& parameters, const std::string& name, std::int64_t width,
             const RecurrentConfig& config) {
  if (!config.layer_normalization) return {};
  return {&parameters.add(name, ParameterSpec::vector(width, Initializer::ones)), config.layer_norm_epsilon};
}

std::optional<Projection> input_of(Parameters& parameters, const std::string& name, RecurrentCell cell,
                                   std::int64_t d_input, CellBias bias, const RecurrentConfig& config) {
  if (d_input == 0) return std::nullopt;
  const ProjectionNames names{name + ".weight_ih", bias == CellBias::input ? name + ".bias_ih" : "",
                              name + ".norm_ih.weight"};
  return std::make_optional<Projection>(
      parameters, names, ParameterSpec::matrix(config.d_state, d_input, gates_of(cell)), config);
}

}  // namespace

Projection::Projection(Parameters& parameters, const ProjectionNames& names, const ParameterSpec& spec,
                       const RecurrentConfig& config)
    : weight(parameters.add(names.weight, spec)) {
  if (!names.bias.empty()) bias = &parameters.add(names.bias, ParameterSpec::vector(spec.rows));
  gain = gain_of(parameters, names.gain, spec.rows, config);
}

Projection::Projection(Parameters& parameters, const std::string& name, std::int64_t out, std::int64_t in,
                       const RecurrentConfig& config)
    : Projection(parameters, {name + ".weight", name + ".bias", name + "_norm.weight"},
                 ParameterSpec::matrix(out, in), config) {}

Var Projection::operator()(Graph& g, const Var& x) const {
  return normalize(g, linear(g, x, weight, bias_of_product()));
}

Var Projection::normalize(Graph& g, const Var& product) const {
  return gain ? layer_norm(g, product, *gain.weight, bias_or_none(), gain.epsilon) : product;
}

GatedCell::GatedCell(Parameters& parameters, const std::string& name, RecurrentCell kind,
                     std::int64_t d_input, CellBias place, const RecurrentConfig& config)
    : cell(kind),
      bias_place(place),
      input(input_of(parameters, name, kind, d_input, place, config)),
      state_weight(parameters.add(name + ".weight_hh",
                                  ParameterSpec::matrix(config.d_state, config.d_state, gates_of(kind)))) {
  const std::int64_t width = gates_of(kind) * config.d_state;
  if (place == CellBias::state || !input) {
    const char* end = place == CellBias::state ? ".bias_hh" : ".bias_ih";
    bias = &parameters.add(name + end, ParameterSpec::vector(width));
  }
  state_gain = gain_of(parameters, name + ".norm_hh.weight", width, config);
}

RecurrentWeights GatedCell::recurrent_weights() const {
  RecurrentWeights weights{.cell = cell, .weight = state_weight, .bias = {}, .input_bias = {}, .gain = {}};
  if (bias != nullptr) (bias_place == CellBias::state ? weights.bias : weights.input_bias) = *bias;
  if (!state_gain) return weights;
  weights.gain = *state_gain.weight;
  weights.epsilon = state_gain.epsilon;
  return weights;
}

RecurrentLayer::RecurrentLayer(Parameters& parameters, const std::string& name, RecurrentCell cell,
                               std::int64_t d_input, std::int64_t transition_depth,
                               const RecurrentConfig& config)
    : d_state(config.d_state) {
  for (std::int64_t i = 0; i < transition_depth; ++i) {
    cells.emplace_back(parameters, fmt::format("{}.cells.{}", name, i), cell, i == 0 ? d_input : 0,
                       CellBias::input, config);
  }
}

Var RecurrentLayer::operator()(Graph& g, const Var& x, const TimeMajor& order,
                               const RecurrentState& start) const {
  return from_time_major(g, run(g, to_time_major(g, x, order), order.batch_sizes, start), order);
}

Var RecurrentLayer::run(Graph& g, const Var& x, const std::vector<std::int64_t>& batch_sizes,
                        const RecurrentState& start) const {
  const GatedCell& first = cells[0];
  if (cells.size() == 1 && !first.state_gain) {
    const SingleCellWeights weights{.cell = first.cell,
                                    .input_weight = first.input->weight,
                                    .input_bias = first.input->bias_or_none(),
                                    .weight = first.state_weight};
    return single_cell_layer(g, weights, x, batch_sizes, start);
  }
  std::vector<RecurrentWeights> weights;
  weights.reserve(cells.size());
  for (const GatedCell& cell : cells) weights.push_back(cell.recurrent_weights());
  return recurrent_layer(g, weights, (*first.input)(g, x), batch_sizes, start);
}

Var RecurrentLayer::operator()(Graph& g, const Var& x, const TimeMajor& order) const {
  const std::int64_t sequences = order.batch_sizes.empty() ? 0 : order.batch_sizes[0];
  return (*this)(g, x, order, zero_state(g, cells[0].cell, sequences, d_state));
}

RecurrentState RecurrentLayer::step(Graph& g, const Var& x, const RecurrentState& previous) const {
  RecurrentState state = previous;
  Var input = (*cells[0].input)(g, x);
  for (const GatedCell& cell : cells) {
    state = CellRecurrence(g, cell.recurrent_weights(), x.value.rows())(input, state);
    input = {};
  }
  return state;
}

Var connect(Graph& g, const Var& x, const Var& y, const Sequences& sequences, bool has_skip_connection) {
  if (has_skip_connection) return residual(g, x, y, sequences);
  return dropout(g, g.rates().sublayer, y, sequences);
}

}  // namespace nmt
