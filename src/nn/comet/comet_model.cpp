#include "nn/comet/comet_model.h"

#include <fmt/format.h>

#include "graph/recurrent.h"

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
  for (const std::int64_t size : config.estimator_sizes) {
    estimator_.push_back(layer(fmt::format("estimator.layers.{}", estimator_.size()), size, width));
    width = size;
  }
  estimator_.push_back(layer("estimator.output", 1, width));
  if (config.tags() > 0) tags_.emplace(layer("tags", config.tags(), encoder.d_model));
}

CometModel::Layer CometModel::layer(const std::string& name, std::int64_t out, std::int64_t in) {
  return {parameters().add(name + ".weight", ParameterSpec::precise_matrix(out, in)),
          parameters().add(name + ".bias", ParameterSpec::bias(out))};
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
  Var x = features;
  for (std::size_t i = 0; i + 1 < estimator_.size(); ++i)
    x = tanh_of_sum(g, {linear(g, x, estimator_[i].weight, estimator_[i].bias)});
  return linear(g, x, estimator_.back().weight, estimator_.back().bias);
}

}  // namespace nmt
