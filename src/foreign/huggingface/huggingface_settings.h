// The settings of a Hugging Face transformers model: its config.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreign/containers/json_file.h"
#include "nn/settings.h"

namespace nmt {

struct Generation {
  std::map<std::string, std::string> decoding;  // settings of nmt translate, except `suppress`
  std::vector<std::int64_t> suppressed;         // ids that translations must not contain
  bool is_renormalized = false;                 // whether the softmax excludes these ids
  std::optional<std::int64_t> first_token;      // first token of all translations
};

/// Reads the settings of `generate`, which older models have in their config.json. Throws Error that names
/// what nmt does not support: sampling, repetition penalties, forced tokens at certain places,
/// forbidden words of several tokens.
Generation read_generation(const JsonFile& file);

/// The models of transformers that can be read; all but mT5, FSMT and IndicTrans2 can be written. The layers
/// of all but T5 have the same names.
enum class HuggingFaceFamily : std::uint8_t {
  marian,      // MarianMTModel: OPUS-MT
  m2m_100,     // M2M100ForConditionalGeneration: M2M-100, NLLB
  mbart,       // MBartForConditionalGeneration
  bart,        // BartForConditionalGeneration
  t5,          // T5ForConditionalGeneration: T5, Flan-T5, MADLAD-400
  mt5,         // MT5ForConditionalGeneration
  fsmt,        // FSMTForConditionalGeneration: models of fairseq
  indictrans,  // IndicTransForConditionalGeneration: IndicTrans2, whose class is in the folder
};

/// Whether the layers of a family are those of T5.
constexpr bool is_t5(HuggingFaceFamily family) {
  return family == HuggingFaceFamily::t5 || family == HuggingFaceFamily::mt5;
}

/// The number of positions in transformers if a model has no table of them and its config.json does not say.
inline constexpr std::int64_t kUsualPositions = 1024;

/// The key of the kind of model in config.json.
inline constexpr const char* kModelType = "model_type";

/// Returns the name of the class in transformers ("MarianMTModel"), or of the kind in its files ("marian").
std::string class_of(HuggingFaceFamily family);
std::string model_type_of(HuggingFaceFamily family);
HuggingFaceFamily family_of_type(const std::string& model_type);

/// Returns the family named in a config.json. Throws Error that names the class if it is not supported.
HuggingFaceFamily family_in(const JsonFile& config);

/// Throws Error if a config.json belongs to a model that does not translate, or to one with encoded weights.
void refuse_other_models(const JsonFile& config);

/// Returns the settings of nmt's Transformer that computes the same as the transformers model, except for its
/// first decoder input and for settings that follow from its tensors (vocabulary sizes, positions from a
/// table). For T5, see t5.h; for the rest of FSMT's, fsmt.h. `config` has the usual keys. Throws Error that
/// names what nmt does not support.
ModelSettings huggingface_settings(const JsonFile& config, HuggingFaceFamily family);

}  // namespace nmt
