// The attention of a model over given translations.
#pragma once

#include <functional>
#include <vector>

#include "nn/model.h"

namespace nmt {

/// Returns the weights of the attentions that `wanted` selects, from one pass over these pairs together in
/// which the decoder reads the given targets. Rows of queries and columns of keys include special tokens: a
/// source ends with one, and a decoder row reads the token before (at first the start token) and predicts the
/// next one (at last EOS). Sentences follow each other; columns after the keys of a sentence are 0.
std::vector<AttentionWeights> forced_attention(const Model& model, Worker& worker,
                                               const std::vector<Example>& examples,
                                               const SpecialTokens& special_tokens,
                                               std::function<bool(AttentionKind, int layer)> wanted);

/// The number of layers of a model with this kind of attention, and of heads in each; 0 if there are none.
struct AttentionShape {
  int layers = 0, heads = 0;
};
AttentionShape attention_shape(const Model& model, Backend& backend, const SpecialTokens& special_tokens,
                               AttentionKind kind);

}  // namespace nmt
