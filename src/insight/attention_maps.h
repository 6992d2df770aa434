// The attention of a model in a pair of sentences, as in the last section of The Annotated Transformer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nn/saved/saved_model.h"

namespace nmt {

/// Returns the name of a kind: "encoder", "decoder", "cross".
const char* name_of(AttentionKind kind);
inline constexpr AttentionKind kAttentionKinds[] = {AttentionKind::encoder, AttentionKind::decoder,
                                                    AttentionKind::cross};

/// The attention weights of one head: from the token of each row to the token of each column. Rows sum to 1.
struct AttentionMap {
  AttentionKind kind = AttentionKind::encoder;
  int layer = 0, head = 0;  // counted from 0
  std::int64_t rows = 0, columns = 0;
  std::vector<float> weights;  // row-major
};

/// A sentence and its translation as pieces, including special tokens.
struct TokenizedPair {
  std::vector<std::string> source;        // the last one ends the sentence
  std::vector<std::string> target;        // output of the decoder, EOS last
  std::vector<std::string> target_input;  // input of the decoder for each output token
};

/// Selects maps; unset members mean all. Layers and heads are counted from 0.
struct MapSelection {
  std::optional<AttentionKind> kind;
  std::optional<int> layer, head;
};

/// A pair with its maps: encoder, decoder, cross; within each kind by layer, then by head.
struct PairAttention {
  std::int64_t line = 0;  // line number of the text, counted from 1
  TokenizedPair tokens;
  std::vector<AttentionMap> maps;
  std::string source_text, target_text;
  std::vector<double> log_probabilities;  // natural logarithms, one per target token, EOS included

  /// Returns the tokens of the rows of a map, or of its columns.
  const std::vector<std::string>& row_tokens(AttentionKind kind) const;
  const std::vector<std::string>& column_tokens(AttentionKind kind) const;
};

/// Returns the tokens of a source text and of its translation, given as text or as the ids that the model has
/// written.
TokenizedPair tokenize(const SavedModel& model, const std::string& source, const std::string& target);
TokenizedPair tokenize(const SavedModel& model, const std::string& source, const std::vector<int>& target);

/// Computes the maps of one pair, given as an example with its tokens.
std::vector<AttentionMap> attention_maps(const SavedModel& model, Worker& worker, const Example& example,
                                         const MapSelection& selection);

}  // namespace nmt
