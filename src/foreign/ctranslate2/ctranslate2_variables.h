// The variables of a model here, as CTranslate2's model.bin has them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreign/containers/output_tensor.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// What model.bin calls a Transformer, and which revision of that these variables are of.
inline constexpr const char* kCTranslate2Spec = "TransformerSpec";
inline constexpr std::uint32_t kCTranslate2Revision = 7;

/// Throws Error that calls the model `name` and tells the first setting that CTranslate2 has nothing for.
/// Settings are complete.
void check_for_ctranslate2(const ModelSettings& settings, const std::string& name);

/// All variables of a model of such settings with these parameters: weights, positions, and numbers that tell
/// what it is. Matrices and tables of words are of type `weights`: f32, f16, bf16, or i8 with a scale for
/// each row; all else is of f32. Sinusoids that CTranslate2 does not compute by itself stand in a table of
/// 4096 positions.
std::vector<OutputTensor> ctranslate2_variables(const ModelSettings& settings,
                                                const std::map<std::string, WeightSource>& parameters,
                                                ElementType weights);

}  // namespace nmt
