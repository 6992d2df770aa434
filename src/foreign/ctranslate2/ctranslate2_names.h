// CTranslate2's names for the weights of a Transformer.
#pragma once

#include <string>
#include <vector>

#include "foreign/correspondence.h"
#include "nn/settings.h"

namespace nmt {

/// Returns the name of the table of positions of a side, "encoder" or "decoder".
std::string ctranslate2_positions(const std::string& side);

/// The name of the factor of an attention's scores, which follows the name of the attention.
constexpr const char* kAttentionScale = "queries_scale";

/// The names of the number of heads of keys and values of an attention, and of the width of its heads, after
/// that of the attention.
constexpr const char *kKeyHeads = "num_heads_kv", *kHeadWidth = "head_dim";

/// Returns the beginning of the names of the variables of a layer's self-attention.
std::string self_attention_scope(const std::string& side, std::int64_t layer);

/// Returns all weights, except positions, of a model of these settings, which are complete. Matrices are
/// [out, in] in both toolkits; queries, keys and values of self-attention are one matrix, those of
/// cross-attention two. A table occurs under each of its names. The weights that decoder layers share occur
/// in each of these layers.
std::vector<Correspondence> ctranslate2_names(const ModelSettings& settings);

}  // namespace nmt
