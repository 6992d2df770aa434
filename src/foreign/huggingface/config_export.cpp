#include "foreign/huggingface/config_export.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "common/error.h"
#include "foreign/layer_variants.h"
#include "foreign/not_held.h"

namespace nmt {
namespace {

using nlohmann::json;

// All models of transformers add this to variances; other small values make no difference.
constexpr double kTheirEpsilon = 1e-5;

/// Throws NotHeld about a value that models of a family cannot have.
[[noreturn]] void refuse_setting(const ModelSettings& settings, const std::string& name,
                                 HuggingFaceFamily family) {
  throw NotHeld("{} {} is not supported by {}", name, settings.at(name), class_of(family));
}

void add_layers(json& config, const ModelSettings& settings) {
  const auto number = [&](const char* name) { return integer_setting(settings, name, 0, 1 << 24); };
  const std::int64_t decoder_d_ff = number("decoder_d_ff");
  config.update({{"d_model", number("d_model")},
                 {"encoder_layers", number("encoder_layers")},
                 {"decoder_layers", number("decoder_layers")},
                 {"num_hidden_layers", number("encoder_layers")},
                 {"encoder_attention_heads", number("heads")},
                 {"decoder_attention_heads", number("heads")},
                 {"encoder_ffn_dim", number("d_ff")},
                 {"decoder_ffn_dim", decoder_d_ff > 0 ? decoder_d_ff : number("d_ff")},
                 {option_there(Toolkit::huggingface, "activation").name,
                  name_there(Toolkit::huggingface, "activation", settings.at("activation"))},
                 {"scale_embedding", settings.at("embedding_scale") != "1"},
                 {"encoder_layerdrop", 0.0},
                 {"decoder_layerdrop", 0.0}});
}

void add_tables(json& config, const ModelSettings& settings, HuggingFaceFamily family,
                const ConfigFacts& facts) {
  const std::string& tying = settings.at("tied_embeddings");
  config.update({{"vocab_size", facts.source_rows},
                 {"tie_word_embeddings", tying == "all" || tying == "target"},
                 {"max_position_embeddings", facts.positions}});
  if (family != HuggingFaceFamily::marian) return;
  config.update({{"decoder_vocab_size", facts.target_rows},
                 {"share_encoder_decoder_embeddings", tying == "all" || tying == "inputs"},
                 {"static_position_embeddings", true}});
}

/// Returns the token ids that are the same in both files.
json token_ids(HuggingFaceFamily family, const ConfigFacts& facts) {
  json ids = {{"pad_token_id", facts.padding}, {"eos_token_id", facts.end}};
  if (facts.start) ids["decoder_start_token_id"] = *facts.start;
  if (facts.first) ids["forced_bos_token_id"] = *facts.first;
  if (family == HuggingFaceFamily::marian) {
    ids["forced_eos_token_id"] = facts.end;
  } else {
    ids["bos_token_id"] = 0;
  }
  return ids;
}

bool is(const DecodingSettings& decoding, const std::string& name, const std::string& value) {
  const auto found = decoding.find(name);
  return found != decoding.end() && found->second == value;
}

/// Adds the maximum number of tokens of a translation, including the first decoder input and a final EOS.
/// Models that came from transformers without a limit have none.
void add_longest(json& generation, const DecodingSettings& decoding, HuggingFaceFamily family) {
  constexpr std::int64_t kUsual = 512;
  const std::int64_t uncounted = family == HuggingFaceFamily::marian ? 2 : 1;
  if (is(decoding, "max_length_factor", "0") && decoding.contains("max_length_extra")) {
    const double extra = real_setting(decoding, "max_length_extra", 0, 1 << 24);
    generation["max_length"] = static_cast<std::int64_t>(extra) + uncounted;
  } else if (!is(decoding, "beam_rules", "huggingface")) {
    generation["max_length"] = kUsual;
  }
}

/// Returns forbidden words, each of one token: <pad> of Marian's, and what else the model suppresses.
json bad_words(const DecodingSettings& decoding, HuggingFaceFamily family, const ConfigFacts& facts) {
  std::set<std::int64_t> ids;
  if (family == HuggingFaceFamily::marian) ids.insert(facts.padding);
  if (is(decoding, "unk", "false")) ids.insert(facts.unknown);
  if (const auto suppressed = decoding.find("suppress"); suppressed != decoding.end()) {
    std::istringstream text(suppressed->second);
    for (std::int64_t id = 0; text >> id;) ids.insert(id);
  }
  json words = json::array();
  for (const std::int64_t id : ids) words.push_back(json::array({id}));
  return words;
}

}  // namespace

HuggingFaceFamily family_for(const ModelSettings& settings, const std::string& name) {
  const HuggingFaceFamily family =
      family_of_type(check_variants(Toolkit::huggingface, settings, name, kModelType));
  const bool is_odd = integer_setting(settings, "d_model", 1, 1 << 24) % 2 != 0;
  if (settings.at("positions") == "sinusoidal" && is_odd) refuse_setting(settings, "d_model", family);
  if (std::abs(real_setting(settings, "layer_norm_epsilon", 0, 1) - kTheirEpsilon) > kTheirEpsilon)
    refuse_setting(settings, "layer_norm_epsilon", family);
  return family;
}

std::string config_json(const ModelSettings& settings, HuggingFaceFamily family, const ConfigFacts& facts) {
  json config = {{"architectures", {class_of(family)}},
                 {kModelType, model_type_of(family)},
                 {"is_encoder_decoder", true},
                 {"torch_dtype", facts.type},
                 {"use_cache", true},
                 {"dropout", 0.1},
                 {"attention_dropout", 0.0},
                 {"activation_dropout", 0.0},
                 {"init_std", 0.02}};
  add_layers(config, settings);
  add_tables(config, settings, family, facts);
  config.update(token_ids(family, facts));
  return config.dump(2) + "\n";
}

std::string generation_json(const DecodingSettings& decoding, HuggingFaceFamily family,
                            const ConfigFacts& facts) {
  constexpr std::int64_t kMostBeam = 1000;
  json generation = token_ids(family, facts);
  generation["num_beams"] =
      decoding.contains("beam") ? integer_setting(decoding, "beam", 1, kMostBeam) : std::int64_t{4};
  add_longest(generation, decoding, family);
  if (is(decoding, "length_normalization", "power"))
    generation["length_penalty"] = real_setting(decoding, "length_penalty", -100, 100);
  if (is(decoding, "patience", "1")) generation["early_stopping"] = true;
  if (json words = bad_words(decoding, family, facts); !words.empty())
    generation["bad_words_ids"] = std::move(words);
  return generation.dump(2) + "\n";
}

}  // namespace nmt
