// Decoding with caches: keys and values of every token are computed once.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/transformer/transformer.h"

namespace nmt {

/// Keys and values of self-attention (or the sums of an average, or the states of a recurrence) take a row of
/// a cache for each token of a hypothesis; which rows are the past of a hypothesis is told by an index, so
/// beams are reordered without moving them. Keys and values of cross-attention are computed once a sentence
/// and shared by its hypotheses.
class TransformerDecoder final : public Decoder {
 public:
  TransformerDecoder(const Transformer& model, Graph& g, const DecoderCapacity& capacity);

  void encode(Graph& g, const SourceInput& source, const std::vector<std::int32_t>& begins) override;
  Logits step(Graph& g, const DecodingStep& step) override;

 private:
  struct Layer {
    Tensor memory;  // keys and values, side by side, [source rows, 2 d_model]
    Tensor cache;   // see DecoderLayer::cache
  };

  const Transformer& model_;
  std::vector<Layer> layers_;
};

}  // namespace nmt
