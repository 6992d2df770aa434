#include "nn/recurrent/layers.h"

#include <fmt/format.h>

namespace nmt {

AlignmentModel::AlignmentModel(Parameters& parameters, const std::string& name,
                               const RecurrentConfig& config) {
  const std::int64_t width = config.encoder_width();
  if (config.attention == AlignmentScore::dot) return;
  query.emplace(parameters, ProjectionNames{name + ".query.weight", "", name + ".query_norm.weight"},
                ParameterSpec::matrix(width, config.d_state), config);
  if (config.attention == AlignmentScore::general) return;
  key.emplace(parameters, name + ".key", width, width, config);
  energy_weight = &parameters.add(name + ".energy.weight", ParameterSpec::vector(width, Initializer::glorot));
}

Annotations AlignmentModel::annotations(Graph& g, const Var& encoded) const {
  return {key ? (*key)(g, encoded) : encoded, encoded};
}

AttentionSteps::AttentionSteps(Graph& g, const AlignmentModel& alignment, Annotations source,
                               std::int64_t rows)
    : g_(g), alignment_(alignment), source_(std::move(source)) {
  if (alignment.query) query_.emplace(g, *alignment.query, rows);
}

Var AttentionSteps::operator()(const Var& state, const StepAttention& attention) {
  const Var query = query_ ? (*query_)(state) : state;
  const Parameter* weight = alignment_.energy_weight;
  return recurrent_attention(g_, query, source_.key, source_.value, weight != nullptr ? *weight : Parameter(),
                             attention.queries, attention.keys, attention.traced);
}

ConditionalLayer::ConditionalLayer(Parameters& parameters, const std::string& name,
                                   const RecurrentConfig& config)
    : alignment(parameters, name + ".attention", config) {
  for (std::int64_t i = 0; i < config.decoder_base_transition_depth; ++i) {
    const std::int64_t d_input = i == 0 ? config.d_embedding : i == 1 ? config.encoder_width() : 0;
    cells.emplace_back(parameters, fmt::format("{}.cells.{}", name, i), config.decoder_cell,
                       CellWidths{d_input, config.d_state}, i == 0 ? CellBias::input : CellBias::state,
                       config);
  }
}

ConditionalSteps::ConditionalSteps(Graph& g, const ConditionalLayer& layer, const Annotations& source,
                                   std::int64_t rows)
    : attention_(g, layer.alignment, source, rows), context_(g, *layer.cells[1].input, rows) {
  for (const GatedCell& cell : layer.cells) cells_.emplace_back(g, cell.recurrent_weights(), rows);
}

ConditionalSteps::Step ConditionalSteps::operator()(const Var& words, const RecurrentState& previous,
                                                    const StepAttention& attention) {
  RecurrentState state = cells_[0](words, previous);
  Var context = attention_(state.state, attention);
  state = cells_[1](context_(context), state);
  for (std::size_t i = 2; i < cells_.size(); ++i) state = cells_[i]({}, state);
  return {std::move(state), std::move(context)};
}

namespace {

Gain gain_of(Parameters& parameters, const std::string& name, std::int64_t width,
             const RecurrentConfig& config) {
  if (!config.layer_normalization) return {};
  return {&parameters.add(name, ParameterSpec::vector(width, Initializer::ones)), config.layer_norm_epsilon};
}

std::optional<Projection> input_of(Parameters& parameters, const std::string& name, RecurrentCell cell,
                                   const CellWidths& widths, CellBias bias, const RecurrentConfig& config) {
  if (widths.input == 0) return std::nullopt;
  const ProjectionNames names{name + ".weight_ih", bias == CellBias::input ? name + ".bias_ih" : "",
                              name + ".norm_ih.weight"};
  return std::make_optional<Projection>(
      parameters, names, ParameterSpec::matrix(widths.state, widths.input, gates_of(cell)), config);
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
                     const CellWidths& widths, CellBias place, const RecurrentConfig& config)
    : cell(kind),
      bias_place(place),
      input(input_of(parameters, name, kind, widths, place, config)),
      state_weight(parameters.add(name + ".weight_hh",
                                  ParameterSpec::matrix(widths.state, widths.state, gates_of(kind)))) {
  const std::int64_t width = gates_of(kind) * widths.state;
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
                               const CellWidths& widths, std::int64_t transition_depth,
                               const RecurrentConfig& config)
    : d_state(widths.state) {
  for (std::int64_t i = 0; i < transition_depth; ++i) {
    cells.emplace_back(parameters, fmt::format("{}.cells.{}", name, i), cell,
                       CellWidths{i == 0 ? widths.input : 0, widths.state}, CellBias::input, config);
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
  return LayerSteps(g, *this, x.value.rows())(x, previous);
}

LayerSteps::LayerSteps(Graph& g, const RecurrentLayer& layer, std::int64_t rows)
    : input_(g, *layer.cells[0].input, rows) {
  for (const GatedCell& cell : layer.cells) cells_.emplace_back(g, cell.recurrent_weights(), rows);
}

RecurrentState LayerSteps::operator()(const Var& x, const RecurrentState& previous) {
  RecurrentState state = previous;
  Var input = input_(x);
  for (CellRecurrence& cell : cells_) state = cell(std::exchange(input, {}), state);
  return state;
}

Var connect(Graph& g, const Var& x, const Var& y, const Sequences& sequences, bool has_skip_connection) {
  return connect(g, g.dropout(g.rates().sublayer, sequences, y.value.columns()), x, y, has_skip_connection);
}

Var connect(Graph& g, const Dropout& dropout, const Var& x, const Var& y, bool has_skip_connection) {
  return has_skip_connection ? residual(g, dropout, x, y) : nmt::dropout(g, dropout, y);
}

}  // namespace nmt
