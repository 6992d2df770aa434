// The settings of a model that Hugging Face transformers has: what stands in its config.json.
#pragma once

#include <cstdint>
#include <string>

#include "foreign/containers/json_file.h"
#include "nn/settings.h"

namespace nmt {

/// Models of transformers that can be opened and written. Layers have the same names in all.
enum class HuggingFaceFamily : std::uint8_t {
  marian,   // MarianMTModel: OPUS-MT
  m2m_100,  // M2M100ForConditionalGeneration: M2M-100, NLLB
  mbart,    // MBartForConditionalGeneration
  bart,     // BartForConditionalGeneration
};

/// The name of the class in transformers ("MarianMTModel"), and of the kind in its files ("marian").
std::string class_of(HuggingFaceFamily family);
std::string model_type_of(HuggingFaceFamily family);

/// The family that a config.json tells. Throws Error that names the class where it is another.
HuggingFaceFamily family_in(const JsonFile& config);

/// The settings of a Transformer here that computes what transformers does, but for those that its tensors
/// tell (sizes of vocabularies, positions from a table), and its first decoder input. Throws Error that names
/// what a model here cannot have.
ModelSettings huggingface_settings(const JsonFile& config, HuggingFaceFamily family);

/// What settings here and transformers call an activation; empty for one that the other has not.
std::string activation_here(const std::string& name);
std::string activation_there(const std::string& name);

}  // namespace nmt
