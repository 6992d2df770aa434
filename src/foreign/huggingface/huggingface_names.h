// Hugging Face transformers' names for the weights of a Transformer.
#pragma once

#include <string>
#include <vector>

#include "foreign/correspondence.h"
#include "nn/settings.h"

namespace nmt {

inline constexpr const char* kHuggingFaceBias = "final_logits_bias";  // [1, V]
inline constexpr const char* kHuggingFaceOutput = "lm_head.weight";
inline constexpr const char* kFsmtOutput = "model.decoder.output_projection.weight";

/// Returns all weights of a model of these settings, which are complete; names are the same in all families.
/// The matrices of attention are separate, and tied tables have the first of their names.
std::vector<Correspondence> huggingface_names(const ModelSettings& settings);

/// Returns the tables among huggingface_names(). The settings may lack those that follow from tensors.
std::vector<Correspondence> huggingface_tables(const ModelSettings& settings);

/// Returns all names, including `name`, that a file may use for the table that huggingface_tables() calls
/// `name`.
std::vector<std::string> names_of_table(const std::string& name, const ModelSettings& settings);

}  // namespace nmt
