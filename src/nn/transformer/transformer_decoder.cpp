#include "nn/transformer/transformer_decoder.h"

#include "nn/source_rows.h"

namespace nmt {

TransformerDecoder::TransformerDecoder(const Transformer& model, Graph& g, const DecoderCapacity& capacity)
    : model_(model) {
  for (const auto& layer : model.decoder_) {
    layers_.push_back(
        {g.allocate(capacity.source_rows, 2 * model.config_.d_model), layer->cache(g, capacity.cache_rows)});
  }
}

void TransformerDecoder::encode(Graph& g, const SourceInput& source,
                                const std::vector<std::int32_t>& begins) {
  const Var memory = model_.encode(g, source);
  const SourceRows rows(g, source.lengths, begins);
  for (std::size_t i = 0; i < layers_.size(); ++i)
    rows.write(model_.decoder_[i]->cross_attention->key_value(g, memory).value, layers_[i].memory);
}

Logits TransformerDecoder::step(Graph& g, const DecodingStep& step) {
  Var x = model_.embed(g, model_.target_, step.tokens, step.hypotheses);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const SourceMemory seen{g.variable(layers_[i].memory), step.sources};
    x = (*model_.decoder_[i])(g, x, step.hypotheses, &seen, {layers_[i].cache, step.index});
  }
  return (*model_.output_)(g, x);
}

}  // namespace nmt
