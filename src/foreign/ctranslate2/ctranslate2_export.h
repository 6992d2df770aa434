// Exports models to CTranslate2.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreign/containers/output_tensor.h"
#include "foreign/weight_source.h"
#include "nn/files/model_file.h"
#include "nn/settings.h"

namespace nmt {

/// The kind of model that model.bin names for a Transformer, and the revision of the variables.
inline constexpr const char* kCTranslate2Spec = "TransformerSpec";
inline constexpr std::uint32_t kCTranslate2Revision = 7;

/// Returns all variables of a model with these parameters: weights, positions, and numbers that describe the
/// model. The settings must be complete and have only variants that CTranslate2 has. Matrices and tables of
/// words are of type `weights`: f32, f16, bf16, or i8 with a scale per row; everything else is f32. Sinusoids
/// that CTranslate2 does not compute itself become a table of 4096 positions.
std::vector<OutputTensor> ctranslate2_variables(const ModelSettings& settings,
                                                const std::map<std::string, WeightSource>& parameters,
                                                ElementType weights);

/// Writes a model for CTranslate2 into an existing folder: model.bin of version 6, config.json, and the lists
/// of tokens. If the vocabularies have SentencePiece models, also writes them, as source.spm and target.spm,
/// which divide text into tokens. Weights keep the type that they have in the file. Throws Error that names
/// what CTranslate2's format does not support, and if a file cannot be written.
void export_to_ctranslate2(const ModelFile& file, const std::string& folder);

}  // namespace nmt
