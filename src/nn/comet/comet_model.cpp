#include "nn/comet/comet_model.h"

#include <fmt/format.h>

#include "graph/recurrent.h"
#include "nn/weights/small_matrices.h"

namespace nmt {
CometModel::CometModel(const CometConfig& config)
    : config_(config),
      sinusoids_(config.encoder.positions, config.encoder.position_offset, config.encoder.position_width()),
      mix_(parameters().add("mix.weight",
                            ParameterSpec::vector(config.encoder.encoder_layers + 1, Initializer::ones))) {
  Parameters& p = parameters();
  const TransformerConfig& encoder = config_.encoder;
  input_.words = &p.add("source_embedding.weight",
                        ParameterSpec::word_table(encoder.source_vocabulary, encoder.d_model));
  if (encoder.positions == Positions::learned)
    input_.positions = &p.add("source_positions.weight",
                              ParameterSpec::position_table(encoder.max_positions, encoder.d_model));
  if (encoder.embedding_norm) input_.norm.emplace(p, "encoder.embedding_norm", encoder);
  for (std::int64_t i = 0; i < encoder.encoder_layers; ++i)
    layers_.emplace_back(p, fmt::format("encoder.layers.{}", i), encoder, AttentionPositions());
  if (encoder.final_norm) final_norm_.emplace(p, "encoder.norm", encoder);
  std::int64_t width = config.features() * encoder.d_model;
  const auto add_layer = [&](const std::string& name, std::int64_t size) {
    const bool is_divided = estimator_.empty() && config.kind == CometKind::regression;
    estimator_.push_back(layer(name, ParameterSpec::precise_matrix(size, width, is_divided)));
    width = size;
  };
  for (const std::int64_t size : config.estimator_sizes)
    add_layer(fmt::format("estimator.layers.{}", estimator_.size()), size);
  add_layer("estimator.output", 1);
  if (config.tags() > 0)
    tags_.emplace(layer("tags", ParameterSpec::precise_matrix(config.tags(), encoder.d_model)));
  keep_small_matrices_precise(p);
}

CometModel::Layer CometModel::layer(const std::string& name, const ParameterSpec& weight) {
  return {parameters().add(name + ".weight", weight),
          parameters().add(name + ".bias", ParameterSpec::bias(weight.rows))};
}

void CometModel::encode(Graph& g, const SourceInput& input, const HiddenState& each) const {
  Var x = input_(g, input.ids, input.sequences, config_.encoder, sinusoids_);
  each(0, x);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = layers_[i](g, x, input.sequences);
    if (final_norm_ && i + 1 == layers_.size()) x = (*final_norm_)(g, x);
    each(static_cast<std::int64_t>(i) + 1, x);
  }
}

Var CometModel::tags(Graph& g, const Var& x) const {
  return linear(g, x, tags_->weight, tags_->bias);
}

Var CometModel::estimate(Graph& g, const Var& features) const {
  return estimate_from_parts(g, {linear(g, features, estimator_[0].weight, estimator_[0].bias)});
}

Var CometModel::part_of_first_layer(Graph& g, const Var& x, std::int64_t first) const {
  const std::int64_t begin = first * config_.encoder.d_model;
  // The part with the first features also has the bias.
  return linear(g, x, estimator_[0].weight.slice_columns(begin, x.value.columns()),
                first == 0 ? estimator_[0].bias : Parameter());
}

Var CometModel::estimate_from_parts(Graph& g, const std::vector<Var>& parts) const {
  Var x = tanh_of_sum(g, parts);
  for (std::size_t i = 1; i + 1 < estimator_.size(); ++i)
    x = tanh_of_sum(g, {linear(g, x, estimator_[i].weight, estimator_[i].bias)});
  return linear(g, x, estimator_.back().weight, estimator_.back().bias);
}

}  // namespace nmt
