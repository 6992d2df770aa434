// Decoding with caches: keys and values of every token are computed once.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/transformer/transformer.h"

namespace nmt {

/// Decodes with a Transformer. Keys and values of self-attention (or the sums of an average, or the states of
/// a recurrence) take one cache row per hypothesis token; an index tells which rows are the past of each
/// hypothesis, so beams are reordered without moving rows. Keys and values of cross-attention are computed
/// once per sentence and shared by its hypotheses.
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
