#include "foreign/ctranslate2/ctranslate2_config.h"

#include <nlohmann/json.hpp>

#include "foreign/containers/json_file.h"

namespace nmt {
namespace {

/// Reads the settings that were variables up to version 5.
void take_attributes(CTranslate2Attributes& attributes, CTranslate2Config& config) {
  config.tokens.unk = attributes.text("unk_token", config.tokens.unk);
  config.tokens.bos = attributes.text("bos_token", config.tokens.bos);
  config.tokens.eos = attributes.text("eos_token", config.tokens.eos);
  config.tokens.source_has_bos = attributes.flag("with_source_bos", false);
  config.tokens.source_has_eos = attributes.flag("with_source_eos", false);
  const bool starts_with_bos = attributes.flag("with_target_bos", true);
  config.tokens.decoder_start = starts_with_bos ? config.tokens.bos : config.tokens.eos;
  if (attributes.flag("user_decoder_start_tokens", false)) config.tokens.decoder_start.reset();
}

void take_json(const JsonFile& file, CTranslate2Config& config) {
  config.tokens.unk = file.text("unk_token", config.tokens.unk);
  config.tokens.bos = file.text("bos_token", config.tokens.bos);
  config.tokens.eos = file.text("eos_token", config.tokens.eos);
  config.tokens.source_has_bos = file.flag("add_source_bos", false);
  config.tokens.source_has_eos = file.flag("add_source_eos", false);
  if (file.find("decoder_start_token") != nullptr)
    config.tokens.decoder_start = file.text("decoder_start_token", "");
}

}  // namespace

CTranslate2Config read_ctranslate2_config(const std::string& folder, std::uint32_t version,
                                          CTranslate2Attributes& attributes) {
  constexpr std::uint32_t kFirstWithJson = 6;
  const JsonFile file = JsonFile::read(folder, "config.json");
  CTranslate2Config config;
  if (version < kFirstWithJson) {
    take_attributes(attributes, config);
  } else {
    take_json(file, config);
  }
  constexpr const char* kEpsilon = "layer_norm_epsilon";
  if (file.find(kEpsilon) != nullptr) config.layer_norm_epsilon = file.real(kEpsilon, 0);
  if (file.integer("quantization_type", 0) != 0)
    file.refuse("quantization_type", "the number of an encoding of weights (AWQ) that is not known here");
  return config;
}

std::string json_of(const CTranslate2Config& config) {
  nlohmann::ordered_json json = {{"add_source_bos", config.tokens.source_has_bos},
                                 {"add_source_eos", config.tokens.source_has_eos},
                                 {"bos_token", config.tokens.bos},
                                 {"decoder_start_token", nullptr},
                                 {"eos_token", config.tokens.eos},
                                 {"layer_norm_epsilon", nullptr},
                                 {"multi_query_attention", false},
                                 {"unk_token", config.tokens.unk}};
  if (config.layer_norm_epsilon) json["layer_norm_epsilon"] = *config.layer_norm_epsilon;
  if (config.tokens.decoder_start) json["decoder_start_token"] = *config.tokens.decoder_start;
  return json.dump(2) + "\n";
}

}  // namespace nmt
