// The weights of a model of Hugging Face transformers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "foreign/huggingface/huggingface_settings.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// Converts the weights of a Transformer with positions `sinusoidal`, whose feed-forward networks have two
/// matrices, to those of an equivalent one with `sinusoidal_halves`. Activations between sublayers are
/// permuted: first the even elements, then the odd ones. Sums and layer normalization do not depend on the
/// order. d_model must be even.
std::map<std::string, WeightSource> with_halves(std::map<std::string, WeightSource> parameters);

/// The treatment of the row of <pad> in the tables of MarianMTModel, whose decoder begins with it. In
/// transformers, the row belongs to the vocabulary and to the softmax, though translations must not contain
/// it.
struct PaddingRow {
  enum class Use : std::uint8_t {
    kept,
    masked,   // excluded from the softmax
    dropped,  // as masked, and it is the last row, and zero
  };
  Use use = Use::kept;
  std::int64_t id = 0;
};

/// The bias that excludes a word from the softmax; it can be represented in f32 and f16.
inline constexpr float kMaskingBias = -1e4;

/// Adds the settings that follow from the tensors: vocabulary sizes, and positions from a table, which are
/// learned unless they equal a kind that nmt computes.
void add_settings_of_tensors(ForeignTensors& tensors, HuggingFaceFamily family, ModelSettings& settings);

/// Returns the treatment of row `id`. `is_renormalized`: whether the model's search leaves the row out of the
/// softmax.
PaddingRow padding_row(ForeignTensors& tensors, const ModelSettings& settings, std::int64_t id,
                       bool is_renormalized);

/// Returns the sources of all parameters of a model of these settings, which are complete, with vocabularies
/// without a dropped row. Throws Error if a tensor is missing, or one is unknown for such a model.
std::map<std::string, WeightSource> huggingface_weights(ForeignTensors& tensors,
                                                        const ModelSettings& settings,
                                                        const PaddingRow& padding);

}  // namespace nmt
