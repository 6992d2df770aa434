#include "nn/transformer/embeddings.h"

#include "common/error.h"

namespace nmt {
namespace {

/// Returns the position embeddings for sequences up to this length; empty if none are added.
Parameter positions_of(const Graph& g, const InputEmbedding& input, std::int64_t longest,
                       const TransformerConfig& config, const Sinusoids& sinusoids) {
  if (!are_added(config.positions)) return {};
  if (input.positions == nullptr) return sinusoids.at_least(g, longest);
  const std::int64_t most = *config.longest_sequence();
  if (longest > most) {
    throw Error(
        "a sequence of {} tokens is longer than the {} that the model has positions for; split or "
        "drop it",
        longest, most);
  }
  return input.positions->slice_rows(config.position_offset, most);
}

}  // namespace

Var InputEmbedding::operator()(Graph& g, const Tensor& ids, const Sequences& sequences,
                               const TransformerConfig& config, const Sinusoids& sinusoids) const {
  const Var x = embedding(g, *words, ids, sequences,
                          positions_of(g, *this, sequences.longest_position, config, sinusoids),
                          config.embedding_scale);
  return norm ? (*norm)(g, x) : x;
}

OutputProjection::OutputProjection(Parameters& parameters, const TransformerConfig& config,
                                   const Parameter& words)
    : norm(config.final_norm ? std::optional<LayerNorm>(std::in_place, parameters, "decoder.norm", config)
                             : std::nullopt),
      weight(has_tied_output(config.tying)
                 ? words
                 : parameters.add("output.weight",
                                  ParameterSpec::output_layer(config.target_vocabulary, config.d_model))),
      bias(config.output_bias
               ? &parameters.add("output.bias", ParameterSpec::vector(config.target_vocabulary))
               : nullptr) {}

Logits OutputProjection::operator()(Graph& g, const Var& x) const {
  return {norm ? (*norm)(g, x) : x, weight, bias != nullptr ? *bias : Parameter()};
}

}  // namespace nmt
