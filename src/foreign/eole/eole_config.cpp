#include "foreign/eole/eole_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/error.h"
#include "foreign/layer_variants.h"

namespace nmt {
namespace {

constexpr std::array<const char*, 2> kSides = {"encoder", "decoder"};

/// Returns a section of a file as a file of its own; a missing section has no values.
JsonFile section(const JsonFile& file, const std::string& name) {
  const nlohmann::json* value = file.find(name);
  return {value == nullptr ? "{}" : value->dump(), fmt::format("{}: {}", file.name(), name)};
}

/// Settings that must be off, of the types flag and number.
constexpr std::array<const char*, 10> kEoleFlagsOff = {
    "shared_layer_norm", "ffn_layernorm", "query_norm", "key_norm",      "value_norm",
    "parallel_residual", "q_gating",      "normalize",  "add_estimator", "aan_useffn"};
constexpr std::array<const char*, 3> kEoleNumbersOff = {"sliding_window", "relative_positions_buckets",
                                                        "num_experts"};
constexpr std::array<const char*, 4> kEoleAbsent = {"head_dim", "attn_scaling", "layer_types", "adapter"};

/// Settings that must have a given value.
struct EoleFixed {
  const char *key, *value;
};
constexpr std::array<EoleFixed, 5> kEoleFixed = {{{"encoder_type", "transformer"},
                                                  {"decoder_type", "transformer"},
                                                  {"encoder_layer_style", "standard"},
                                                  {"embedding_type", "standard"},
                                                  {"generator_function", "softmax"}}};

constexpr const char* kEoleBeyond = "which nmt does not support";

void refuse_eole_settings(const JsonFile& file) {
  for (const char* key : kEoleFlagsOff) {
    if (file.flag(key, false)) file.refuse(key, kEoleBeyond);
  }
  for (const char* key : kEoleNumbersOff) {
    if (file.integer(key, 0) != 0) file.refuse(key, kEoleBeyond);
  }
  for (const char* key : kEoleAbsent) {
    if (file.find(key) != nullptr) file.refuse(key, kEoleBeyond);
  }
  for (const auto& [key, value] : kEoleFixed) {
    if (file.text(key, value) != value) file.refuse(key, kEoleBeyond);
  }
  if (!file.flag("final_encoder_layer_norm", true)) file.refuse("final_encoder_layer_norm", kEoleBeyond);
}

/// Returns the value of a setting that must be equal on both sides. `read` takes a file and a key.
template <class Read>
auto of_both(const EoleConfig& config, const std::string& key, const Read& read) {
  auto encoder = read(config.of_side("encoder", key));
  const auto decoder = read(config.of_side("decoder", key));
  if (encoder != decoder)
    config.of_side("decoder", key).refuse(key, "not that of the encoder, which nmt does not support");
  return encoder;
}

std::string heads_of(const EoleConfig& config) {
  constexpr std::int64_t kUsual = 8;
  const std::int64_t heads =
      of_both(config, "heads", [](const JsonFile& file) { return file.integer("heads", kUsual); });
  for (const char* side : kSides) {
    const JsonFile& file = config.of_side(side, "heads_kv");
    if (file.integer("heads_kv", heads) != heads) file.refuse("heads_kv", kEoleBeyond);
  }
  return std::to_string(heads);
}

/// Returns the value of a setting that an option states.
std::string variant_of(const EoleConfig& config, const std::string& key) {
  const ToolkitOption& option = option_there(Toolkit::eole, key);
  const std::string name = of_both(
      config, option.name, [&](const JsonFile& file) { return file.text(option.name, option.usual); });
  if (auto value = value_here(Toolkit::eole, key, name)) return *value;
  config.of_side("encoder", option.name).refuse(option.name, kEoleBeyond);
}

std::string epsilon_of(const EoleConfig& config) {
  constexpr const char* kKey = "norm_eps";
  return fmt::format("{}", of_both(config, kKey, [](const JsonFile& file) { return file.real(kKey, 1e-5); }));
}

}  // namespace

EoleConfig::EoleConfig(const JsonFile& file)
    : model_(section(file, "model")),
      encoder_(section(model_, "encoder")),
      decoder_(section(model_, "decoder")),
      embeddings_(section(model_, "embeddings")) {}

const JsonFile& EoleConfig::of_side(const std::string& side, const std::string& key) const {
  const JsonFile& own = this->side(side);
  return own.find(key) != nullptr ? own : model_;
}

ModelSettings eole_settings(const EoleConfig& config) {
  const std::string architecture = config.model().text("architecture", "custom");
  if (architecture != "transformer" && architecture != "custom")
    config.model().refuse("architecture", "none with an encoder and a decoder that models here have");
  for (const JsonFile* file : {&config.model(), &config.embeddings()}) refuse_eole_settings(*file);
  for (const char* side : kSides) {
    if (config.model().find(side) == nullptr && architecture != "transformer")
      config.model().refuse(side, "missing; nmt needs both sides");
    refuse_eole_settings(config.side(side));
  }
  ModelSettings settings = values_of_all(Toolkit::eole);
  settings.merge(ModelSettings{{"type", "transformer"},
                               {"heads", heads_of(config)},
                               {"activation", variant_of(config, "activation")},
                               {"norm_kind", variant_of(config, "norm_kind")},
                               {"layer_norm_epsilon", epsilon_of(config)}});
  return settings;
}

}  // namespace nmt
