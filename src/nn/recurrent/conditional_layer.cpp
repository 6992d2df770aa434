#include "nn/recurrent/conditional_layer.h"

#include <fmt/format.h>

namespace nmt {

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

}  // namespace nmt
