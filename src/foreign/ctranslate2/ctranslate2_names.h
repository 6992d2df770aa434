// What CTranslate2 calls the weights of a Transformer.
#pragma once

#include <string>
#include <vector>

#include "foreign/correspondence.h"
#include "nn/settings.h"

namespace nmt {

/// The name of the table of positions of a side, "encoder" or "decoder".
std::string ctranslate2_positions(const std::string& side);

/// All weights of a model of these settings, which are complete, but for positions. Matrices are [out, in] in
/// both; queries, keys and values of self-attention are one matrix, those of cross-attention two. A table has
/// each of its names, and a layer of the decoder the weights that it shares with others.
std::vector<Correspondence> ctranslate2_names(const ModelSettings& settings);

}  // namespace nmt
