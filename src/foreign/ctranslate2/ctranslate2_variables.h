// Converts a model here to the variables of CTranslate2's model.bin.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreign/containers/output_tensor.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// The kind of a Transformer in model.bin, and the revision of these variables.
inline constexpr const char* kCTranslate2Spec = "TransformerSpec";
inline constexpr std::uint32_t kCTranslate2Revision = 7;

/// Returns all variables of a model with these parameters, whose settings are complete and have variants that
/// CTranslate2 has: weights, positions, and numbers
/// that describe the model. Matrices and tables of words are of type `weights`: f32, f16, bf16, or i8 with a
/// scale per row; everything else is f32. Sinusoids that CTranslate2 does not compute itself become a table
/// of 4096 positions.
std::vector<OutputTensor> ctranslate2_variables(const ModelSettings& settings,
                                                const std::map<std::string, WeightSource>& parameters,
                                                ElementType weights);

}  // namespace nmt
