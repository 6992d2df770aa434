#include "foreign/huggingface/huggingface_settings.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "common/error.h"
#include "foreign/layer_variants.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

using nlohmann::json;

/// Settings that change results, with the values for which they do not. Lists and mappings must be empty.
struct Off {
  const char* key;
  double value;
};
constexpr std::array<Off, 8> kNumbersOff = {{{"repetition_penalty", 1},
                                             {"encoder_repetition_penalty", 1},
                                             {"encoder_no_repeat_ngram_size", 0},
                                             {"num_beam_groups", 1},
                                             {"diversity_penalty", 0},
                                             {"min_length", 0},
                                             {"min_new_tokens", 0},
                                             {"guidance_scale", 1}}};
constexpr std::array<const char*, 10> kAbsent = {"force_words_ids",     "constraints",
                                                 "forced_decoder_ids",  "sequence_bias",
                                                 "stop_strings",        "exponential_decay_length_penalty",
                                                 "penalty_alpha",       "begin_suppress_tokens",
                                                 "watermarking_config", "max_time"};

void refuse_other_searches(const JsonFile& file) {
  constexpr const char* kWhat = "which nmt does not support";
  for (const Off& off : kNumbersOff) {
    if (file.real(off.key, off.value) != off.value) file.refuse(off.key, kWhat);
  }
  for (const char* key : kAbsent) {
    const json* value = file.find(key);
    if (value != nullptr && !(value->is_structured() && value->empty())) file.refuse(key, kWhat);
  }
  if (file.flag("do_sample", false)) file.refuse("do_sample", kWhat);
}

/// Returns the forbidden tokens, from words of one token.
std::vector<std::int64_t> suppressed_in(const JsonFile& file) {
  std::vector<std::int64_t> ids = file.integers("suppress_tokens");
  const json* words = file.find("bad_words_ids");
  if (words == nullptr) return ids;
  for (const json& word : *words) {
    const bool is_token = word.is_array() && word.size() == 1 && word[0].is_number_integer();
    if (!is_token) file.refuse("bad_words_ids", "not a list of single tokens, in lists of their own");
    ids.push_back(word[0].get<std::int64_t>());
  }
  return ids;
}

/// `early_stopping` True ends a search when as many translations are found as the beam width.
void add_early_stopping(const JsonFile& file, std::map<std::string, std::string>& decoding) {
  const json* stopping = file.find("early_stopping");
  if (stopping == nullptr) return;
  if (!stopping->is_boolean()) file.refuse("early_stopping", "a rule that nmt does not support");
  if (stopping->get<bool>()) decoding["patience"] = "1";
}

/// Lengths in transformers include the first decoder input and EOS.
void add_longest(const JsonFile& file, std::map<std::string, std::string>& decoding) {
  std::int64_t longest = file.integer("max_new_tokens", file.integer("max_length", 0) - 1);
  if (longest < 1) return;  // as without the setting
  if (file.find("forced_eos_token_id") != nullptr) --longest;
  decoding["max_length_factor"] = "0";
  decoding["max_length_extra"] = std::to_string(longest);
}

}  // namespace

Generation read_generation(const JsonFile& file) {
  refuse_other_searches(file);
  Generation generation{.decoding = {{"beam_rules", "huggingface"},
                                     {"beam", std::to_string(file.integer("num_beams", 1))},
                                     {"length_normalization", "power"},
                                     {"length_penalty", fmt::format("{}", file.real("length_penalty", 1))}},
                        .suppressed = suppressed_in(file),
                        .is_renormalized = file.flag("renormalize_logits", false),
                        .first_token = {}};
  add_early_stopping(file, generation.decoding);
  add_longest(file, generation.decoding);
  if (const std::int64_t size = file.integer("no_repeat_ngram_size", 0); size > 0)
    generation.decoding["no_repeat_ngram_size"] = std::to_string(size);
  if (file.find("forced_bos_token_id") != nullptr)
    generation.first_token = file.integer("forced_bos_token_id", 0);
  return generation;
}

namespace {

struct FamilyFacts {
  HuggingFaceFamily family;
  const char *class_name, *model_type;
  // Defaults of transformers for missing settings in config.json.
  bool scales_embedding;
  const char* activation;
};

constexpr std::array<FamilyFacts, 8> kFamilies = {
    {{HuggingFaceFamily::marian, "MarianMTModel", "marian", false, "gelu"},
     {HuggingFaceFamily::m2m_100, "M2M100ForConditionalGeneration", "m2m_100", true, "relu"},
     {HuggingFaceFamily::mbart, "MBartForConditionalGeneration", "mbart", false, "gelu"},
     {HuggingFaceFamily::bart, "BartForConditionalGeneration", "bart", false, "gelu"},
     {HuggingFaceFamily::t5, "T5ForConditionalGeneration", "t5", false, ""},
     {HuggingFaceFamily::mt5, "MT5ForConditionalGeneration", "mt5", false, ""},
     {HuggingFaceFamily::fsmt, "FSMTForConditionalGeneration", "fsmt", true, "relu"},
     {HuggingFaceFamily::indictrans, "IndicTransForConditionalGeneration", "IndicTrans", true, "relu"}}};

const FamilyFacts& facts_of(HuggingFaceFamily family) {
  return *std::ranges::find(kFamilies, family, &FamilyFacts::family);
}

/// Returns a required size.
std::string size_in(const JsonFile& config, const std::string& key) {
  const std::int64_t size = config.integer(key, 0);
  if (size < 1) config.refuse(key, "not a size; the file is not complete");
  return std::to_string(size);
}

std::string heads_in(const JsonFile& config) {
  const std::string heads = size_in(config, "encoder_attention_heads");
  if (size_in(config, "decoder_attention_heads") != heads) {
    config.refuse("decoder_attention_heads",
                  fmt::format("but the encoder has {}, and nmt needs the same number", heads));
  }
  return heads;
}

}  // namespace

void refuse_other_models(const JsonFile& config) {
  if (!config.flag("is_encoder_decoder", true))
    config.refuse("is_encoder_decoder", "not a translation model");
  if (config.find("quantization_config") != nullptr) {
    config.refuse("quantization_config",
                  "an encoding of weights that nmt does not support; save it in float32");
  }
}

namespace {

/// Returns which tables are tied: transformers ties the output to the target embedding unless told otherwise,
/// and the embeddings of both sides, which only Marian and FSMT may have separate.
std::string tying_in(const JsonFile& config, HuggingFaceFamily family) {
  const bool output = config.flag("tie_word_embeddings", true);
  if (family == HuggingFaceFamily::fsmt) return output ? "all" : "target";
  const bool apart =
      family == HuggingFaceFamily::marian && !config.flag("share_encoder_decoder_embeddings", true);
  if (apart) return output ? "target" : "none";
  return output ? "all" : "inputs";
}

}  // namespace

std::string class_of(HuggingFaceFamily family) {
  return facts_of(family).class_name;
}

std::string model_type_of(HuggingFaceFamily family) {
  return facts_of(family).model_type;
}

HuggingFaceFamily family_of_type(const std::string& model_type) {
  return std::ranges::find(kFamilies, model_type, &FamilyFacts::model_type)->family;
}

HuggingFaceFamily family_in(const JsonFile& config) {
  const std::vector<std::string> classes = config.texts("architectures");
  const std::string type = config.text("model_type", "");
  const std::string name = classes.empty() ? type : classes[0];
  for (const FamilyFacts& facts : kFamilies) {
    if (name == facts.class_name || (classes.empty() && name == facts.model_type)) return facts.family;
  }
  if (type.find("roberta") != std::string::npos || type.find("bert") != std::string::npos) {
    throw Error(
        "'{}': a model of the kind {} is an encoder, which neither translates nor judges translations; for "
        "COMET, name the folder of the checkpoint, which has hparams.yaml",
        config.name(), in_quotes(type));
  }
  std::vector<std::string> known;
  for (const FamilyFacts& facts : kFamilies) known.emplace_back(facts.class_name);
  throw Error("'{}': models of the kind {} cannot be opened, only those of {}", config.name(),
              in_quotes(name), fmt::join(known, ", "));
}

ModelSettings huggingface_settings(const JsonFile& config, HuggingFaceFamily family) {
  refuse_other_models(config);
  const FamilyFacts& facts = facts_of(family);
  const std::string& option = option_there(Toolkit::huggingface, "activation").name;
  const auto activation =
      value_here(Toolkit::huggingface, "activation", config.text(option, facts.activation));
  if (!activation) config.refuse(option, "an activation that nmt does not support");
  ModelSettings settings = {
      {"type", "transformer"},
      {"d_model", size_in(config, "d_model")},
      {"d_ff", size_in(config, "encoder_ffn_dim")},
      {"decoder_d_ff", size_in(config, "decoder_ffn_dim")},
      {"heads", heads_in(config)},
      {"encoder_layers", size_in(config, "encoder_layers")},
      {"decoder_layers", size_in(config, "decoder_layers")},
      {"activation", *activation},
      {"embedding_scale", config.flag("scale_embedding", facts.scales_embedding) ? "sqrt" : "1"},
      {"tied_embeddings", tying_in(config, family)},
      {"layer_norm_epsilon", "1e-05"},
  };
  // Positions begin after that of padding, which is its id.
  if (family == HuggingFaceFamily::m2m_100 || family == HuggingFaceFamily::fsmt ||
      family == HuggingFaceFamily::indictrans)
    settings["position_offset"] = std::to_string(config.integer("pad_token_id", 1) + 1);
  settings.merge(values_here(Toolkit::huggingface, kModelType, facts.model_type));
  return settings;
}

}  // namespace nmt
