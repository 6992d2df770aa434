// The models of the T5 family in Hugging Face transformers: T5, Flan-T5, mT5 and MADLAD-400 (Raffel et al.,
// 2020).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "foreign/containers/json_file.h"
#include "foreign/correspondence.h"
#include "foreign/huggingface/huggingface_settings.h"
#include "foreign/weight_source.h"
#include "nn/settings.h"

namespace nmt {

/// Returns the settings of nmt's Transformer that computes the same as the model, except for its first
/// decoder input. Throws Error that names what nmt does not support.
ModelSettings t5_settings(const JsonFile& config, HuggingFaceFamily family, ForeignTensors& tensors);

/// Returns the sources of all parameters of a model of these settings, which are complete. Throws Error if a
/// tensor is missing, or one is unknown for such a model.
std::map<std::string, WeightSource> t5_weights(ForeignTensors& tensors, const JsonFile& config,
                                               HuggingFaceFamily family, const ModelSettings& settings);

/// Returns the part of config.json that describes the layers of a T5ForConditionalGeneration with these
/// settings, which are complete.
nlohmann::json t5_config(const ModelSettings& settings);

/// Returns all weights of a model of these settings, which are complete. `embedding`: the name of the table
/// of embeddings.
std::vector<Correspondence> t5_names(const ModelSettings& settings,
                                     const std::string& embedding = "shared.weight");

/// Returns the name of the table of embeddings in a file, which may contain it under several names, and marks
/// the others as not needed.
std::string t5_embedding(ForeignTensors& tensors);

/// Returns the names of the tensors of the layers of both sides, and of their normalizations and biases.
std::vector<Correspondence> t5_layers(const TransformerConfig& config);

/// Marks tensors as not needed that old files have, but no version of transformers reads.
void ignore_unused_of_t5(ForeignTensors& tensors);

}  // namespace nmt
