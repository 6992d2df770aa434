// What Hugging Face transformers calls the weights of a Transformer.
#pragma once

#include <string>
#include <vector>

#include "foreign/correspondence.h"
#include "nn/settings.h"

namespace nmt {

inline constexpr const char* kHuggingFaceBias = "final_logits_bias";  // [1, V]
inline constexpr const char* kHuggingFaceOutput = "lm_head.weight";

/// All weights of a model of these settings, which are complete: the same in all families. Those of attention
/// are apart, and tables that are one have the first of their names.
std::vector<Correspondence> huggingface_names(const ModelSettings& settings);

/// The names under which a file may have the table that is called `name` in that list, which is one of them.
std::vector<std::string> names_of_table(const std::string& name, const ModelSettings& settings);

}  // namespace nmt
