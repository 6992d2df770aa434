// The names of the tensors of a COMET checkpoint.
#pragma once

#include <cstdint>
#include <string>

namespace nmt {

inline constexpr const char *kCometWords = "encoder.model.embeddings.word_embeddings.weight",
                            *kCometPositions = "encoder.model.embeddings.position_embeddings.weight",
                            *kCometTypes = "encoder.model.embeddings.token_type_embeddings.weight",
                            *kCometNorm = "encoder.model.embeddings.LayerNorm",
                            *kCometFinalNorm = "encoder.model.encoder.LayerNorm", *kCometTags = "hidden2tag";
/// The part of the name of a normalization that layers of XLM-RoBERTa-XL alone have.
inline constexpr const char* kPreNorm = "attention.self_attn_layer_norm.weight";

/// Returns the beginning of the names of the tensors of a layer of the encoder.
inline std::string comet_layer(std::int64_t number) {
  return "encoder.model.encoder.layer." + std::to_string(number) + ".";
}

}  // namespace nmt
