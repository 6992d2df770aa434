// The attention of a model over finished pairs.
#pragma once

#include <functional>
#include <vector>

#include "nn/model.h"

namespace nmt {

/// The weights of the attentions that are `wanted`, from one pass over these pairs together, in which the
/// decoder is given the target. Rows of queries and columns of keys count the special tokens: a source ends
/// with one, a decoder row reads the token before (the start at first) and writes the next (the end at last).
/// Sentence after sentence; columns past a sentence's keys are 0.
std::vector<AttentionWeights> forced_attention(const Model& model, Worker& worker,
                                               const std::vector<Example>& examples,
                                               const SpecialTokens& special_tokens,
                                               std::function<bool(AttentionKind, int layer)> wanted);

/// How many layers of a kind a model has, and heads in each; 0 where it has no attention of that kind.
struct AttentionShape {
  int layers = 0, heads = 0;
};
AttentionShape attention_shape(const Model& model, Backend& backend, const SpecialTokens& special_tokens,
                               AttentionKind kind);

}  // namespace nmt
