#include "nn/recurrent/alignment_model.h"

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

}  // namespace nmt
