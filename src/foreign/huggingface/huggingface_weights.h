// The weights of a model of Hugging Face transformers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "foreign/huggingface/huggingface_settings.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// What becomes of the row of <pad> in the tables of MarianMTModel, with which its decoder begins. There, the
/// row is one of the vocabulary, and has a part in the softmax as any, though no translation may hold it.
struct PaddingRow {
  enum class Use : std::uint8_t {
    kept,
    masked,   // without a part in the softmax
    dropped,  // as masked; it is the last row, and zero
  };
  Use use = Use::kept;
  std::int64_t id = 0;
};

/// The bias of a word without a part in the softmax: that of f32 and f16 have no other.
inline constexpr float kMaskingBias = -1e4;

/// Adds to the settings what the tensors tell: sizes of the vocabularies, and positions that stand in a
/// table, which are learned unless they are those that some kind here computes.
void add_settings_of_tensors(ForeignTensors& tensors, HuggingFaceFamily family, ModelSettings& settings);

/// What is to become of the row `id`. `is_renormalized`: the search of the model leaves it out of the
/// softmax.
PaddingRow padding_row(ForeignTensors& tensors, const ModelSettings& settings, std::int64_t id,
                       bool is_renormalized);

/// Sources of all parameters of a model of these settings, which are complete; their vocabularies are without
/// a row that is dropped. Throws Error where a tensor is missing, or one is there that no such model has.
std::map<std::string, WeightSource> huggingface_weights(ForeignTensors& tensors,
                                                        const ModelSettings& settings,
                                                        const PaddingRow& padding);

}  // namespace nmt
