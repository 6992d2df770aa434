// What a model looks at in a pair of sentences: the last section of The Annotated Transformer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nn/files/saved_model.h"

namespace nmt {

/// "encoder", "decoder", "cross".
const char* name_of(AttentionKind kind);
inline constexpr AttentionKind kAttentionKinds[] = {AttentionKind::encoder, AttentionKind::decoder,
                                                    AttentionKind::cross};

/// The weights of one head: how much each token of a row looks at the token of each column. Rows sum to 1.
struct AttentionMap {
  AttentionKind kind = AttentionKind::encoder;
  int layer = 0, head = 0;  // counted from 0
  std::int64_t rows = 0, columns = 0;
  std::vector<float> weights;  // row-major
};

/// A sentence and its translation as pieces, special tokens included.
struct TokenizedPair {
  std::vector<std::string> source;        // the last one ends the sentence
  std::vector<std::string> target;        // what the decoder writes, its end last
  std::vector<std::string> target_input;  // what it reads before it writes each of them
};

/// Which maps are wanted; what is not set means all. Layers and heads are counted from 0.
struct MapSelection {
  std::optional<AttentionKind> kind;
  std::optional<int> layer, head;
};

/// A pair with its maps: encoder, decoder, cross, of each layer after layer, head after head.
struct PairAttention {
  std::int64_t line = 0;  // of the text, counted from 1
  TokenizedPair tokens;
  std::vector<AttentionMap> maps;
  std::string source_text, target_text;
  std::vector<double> log_probabilities;  // natural ones, of each token of the target, its end included

  /// The tokens beside the rows of a map, and above its columns.
  const std::vector<std::string>& row_tokens(AttentionKind kind) const;
  const std::vector<std::string>& column_tokens(AttentionKind kind) const;
};

/// The tokens of a source text and of its translation, given as text or as what the model has written.
TokenizedPair tokenize(const SavedModel& model, const std::string& source, const std::string& target);
TokenizedPair tokenize(const SavedModel& model, const std::string& source, const std::vector<int>& target);

/// The maps of one pair, whose example and tokens belong together.
std::vector<AttentionMap> attention_maps(const SavedModel& model, Worker& worker, const Example& example,
                                         const MapSelection& selection);

}  // namespace nmt
