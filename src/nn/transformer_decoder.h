// Decoding with caches: keys and values of every token are computed once.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/transformer.h"

namespace nmt {

/// Keys and values of self-attention grow in place, a row for each hypothesis and step; which rows are the
/// past of a hypothesis is told by an index, so beams are reordered without moving them. Keys and values of
/// cross-attention are computed once a sentence and shared by its hypotheses.
class TransformerDecoder final : public Decoder {
 public:
  TransformerDecoder(const Transformer& model, Graph& g, const SourceInput& source);

  Logits step(Graph& g, const std::vector<std::int32_t>& parents,
              const std::vector<std::int32_t>& tokens) override;

 private:
  struct Layer {
    Var memory_key_value;
    LayerCache cache;
  };

  void reserve(Graph& g, std::int64_t rows);
  /// The hypotheses as sequences of queries, one segment for each sentence that still has some.
  Sequences group(const Graph& g, const std::vector<std::int32_t>& sentences, Segments& memory_rows) const;

  const Transformer& model_;
  std::vector<Layer> layers_;
  std::vector<std::int32_t> source_begin_, source_length_;  // of each sentence in the encoder's output
  std::vector<std::int32_t> sentences_;                     // of each row of the step before
  std::vector<std::vector<std::int32_t>> past_;             // cache rows of each row of the step before
  std::int64_t used_ = 0;                                   // rows of the caches
  std::int32_t position_ = 0;
};

}  // namespace nmt
