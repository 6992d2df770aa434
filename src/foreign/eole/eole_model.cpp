#include "foreign/eole/eole_model.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/folder.h"
#include "common/io/memory_map.h"
#include "common/text/parsed_json.h"
#include "foreign/containers/weight_folder.h"
#include "foreign/correspondence.h"
#include "foreign/layer_variants.h"
#include "foreign/norm_names.h"
#include "foreign/position_table.h"
#include "foreign/rotary.h"
#include "nn/registry.h"
#include "nn/transformer/transformer_config.h"

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
    config.of_side("decoder", key)
        .refuse(key, "different from that of the encoder, which nmt does not support");
  return encoder;
}

std::int64_t heads_of(const EoleConfig& config) {
  constexpr std::int64_t kUsual = 8;
  return of_both(config, "heads", [](const JsonFile& file) { return file.integer("heads", kUsual); });
}

/// Returns the number of heads of keys and values; by default, there are as many as heads.
std::int64_t kv_heads_of(const EoleConfig& config) {
  const std::int64_t heads = heads_of(config);
  return of_both(config, "heads_kv",
                 [heads](const JsonFile& file) { return file.integer("heads_kv", heads); });
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
    config.model().refuse("architecture", "not an encoder and a decoder that nmt supports");
  for (const JsonFile* file : {&config.model(), &config.embeddings()}) refuse_eole_settings(*file);
  for (const char* side : kSides) {
    if (config.model().find(side) == nullptr && architecture != "transformer")
      config.model().refuse(side, "missing; nmt needs both sides");
    refuse_eole_settings(config.side(side));
  }
  ModelSettings settings = values_of_all(Toolkit::eole);
  settings.merge(ModelSettings{{"type", "transformer"},
                               {"heads", std::to_string(heads_of(config))},
                               {"kv_heads", std::to_string(kv_heads_of(config))},
                               {"activation", variant_of(config, "activation")},
                               {"ffn_gate", variant_of(config, "ffn_gate")},
                               {"norm_kind", variant_of(config, "norm_kind")},
                               {"layer_norm_epsilon", epsilon_of(config)}});
  return settings;
}

namespace {

using nlohmann::json;

constexpr std::size_t kLongestVocabulary = std::size_t{256} << 20;

json parsed(std::string_view text, const std::string& path) {
  if (text.size() > kLongestVocabulary)
    throw Error("'{}' has {} bytes, more than {}; it is not a file of a model", path, text.size(),
                kLongestVocabulary);
  json file = parsed_json(text, path);
  if (!file.is_object()) throw Error("'{}' is not a JSON object", path);
  return file;
}

ListedTokens list_in(const json& file, const char* key, const std::string& path) {
  const auto tokens = file.find(key);
  if (tokens == file.end() || !tokens->is_array()) throw Error("'{}' has no list of tokens '{}'", path, key);
  WordListBuilder list(path);
  std::uint64_t id = 0;
  for (const json& token : *tokens) {
    if (!token.is_string())
      throw Error("'{}': its list '{}' contains something other than tokens", path, key);
    list.add(token.get<std::string>(), id++);
  }
  return {path, list.finish()};
}

/// Reads the text of this name, if it exists.
void take(const json& file, const char* key, std::string& text, const std::string& path) {
  const auto value = file.find(key);
  if (value == file.end()) return;
  if (!value->is_string()) throw Error("'{}': {} is not text", path, key);
  text = value->get<std::string>();
}

}  // namespace

EoleVocabulary read_eole_vocabulary(const std::string& path) {
  const json file = parsed(map_file(path).copy(), path);
  EoleVocabulary vocabulary;
  vocabulary.lists = {list_in(file, "src", path), list_in(file, "tgt", path)};
  TokenNames& names = vocabulary.names;
  if (const auto specials = file.find("specials"); specials != file.end() && specials->is_object()) {
    take(*specials, "unk_token", names.unk, path);
    take(*specials, "bos_token", names.bos, path);
    take(*specials, "eos_token", names.eos, path);
    take(*specials, "pad_token", names.padding.front(), path);
  }
  std::string start = names.bos;
  take(file, "decoder_start_token", start, path);
  names.decoder_start = start;
  return vocabulary;
}

namespace {

constexpr const char *kSourceTable = "src_emb.embeddings.weight", *kTargetTable = "tgt_emb.embeddings.weight",
                     *kOutput = "generator.weight", *kOutputBias = "generator.bias";

/// The vectors of distances in a self-attention.
constexpr const char* kRelativeTable = "relative_positions_embeddings.weight";

/// Eole's names for the weights of a Transformer, with separate queries, keys and values.
class EoleNames {
 public:
  explicit EoleNames(const ModelSettings& settings) : config_(settings) {}

  std::vector<Correspondence> all() {
    tables();
    for (std::int64_t i = 0; i < config_.encoder_layers; ++i) layer("encoder", i);
    for (std::int64_t i = 0; i < config_.decoder_layers; ++i) layer("decoder", i);
    add(side_norm_weights(Toolkit::eole, config_));
    return std::move(list_);
  }

 private:
  void linear(const std::string& ours, const std::string& theirs) {
    for (const std::string& end : linear_weights(config_))
      list_.push_back({fmt::format("{}.{}", ours, end), fmt::format("{}.{}", theirs, end)});
  }
  void add(std::vector<Correspondence> pairs) { std::ranges::move(pairs, std::back_inserter(list_)); }
  void norm(const std::string& ours, const std::string& theirs) {
    add(norm_weights(Toolkit::eole, config_, ours, theirs + ".{}"));
  }

  void attention(const std::string& ours, const std::string& theirs) {
    const auto parts = static_cast<int>(config_.attention_parts());
    const auto add = [&](const char* name, int first, int count) {
      for (const std::string& end : linear_weights(config_)) {
        list_.push_back({fmt::format("{}.in_proj_{}", ours, end),
                         fmt::format("{}.linear_{}.{}", theirs, name, end), Form::same, first, parts, count});
      }
    };
    add("query", 0, parts - 2);
    add("keys", parts - 2, 1);
    add("values", parts - 1, 1);
    linear(ours + ".out_proj", theirs + ".final_linear");
  }

  void layer(const std::string& side, std::int64_t i) {
    const std::string ours = fmt::format("{}.layers.{}", side, i),
                      theirs = fmt::format("{}.transformer_layers.{}", side, i);
    const bool decodes = side == "decoder";
    attention(ours + ".self_attn", theirs + ".self_attn");
    if (config_.positions == Positions::shaw) {
      for (const char* table : {"keys", "values"})  // one table is for both
        list_.push_back({fmt::format("{}.self_attn.relative_{}.weight", ours, table),
                         fmt::format("{}.self_attn.{}", theirs, kRelativeTable)});
    }
    norm(ours + ".norm1", theirs + ".input_layernorm");
    if (decodes) {
      attention(ours + ".multihead_attn", theirs + ".context_attn");
      norm(ours + ".norm2", theirs + ".precontext_layernorm");
    }
    linear(ours + ".linear1", theirs + ".mlp.gate_up_proj");
    if (config_.encoder_feed_forward.is_gated) linear(ours + ".linear_gated", theirs + ".mlp.up_proj");
    linear(ours + ".linear2", theirs + ".mlp.down_proj");
    norm(ours + (decodes ? ".norm3" : ".norm2"), theirs + ".post_attention_layernorm");
  }

  void tables() {
    if (has_one_embedding(config_.tying)) {
      list_.push_back({"embedding.weight", kSourceTable});
    } else {
      list_.push_back({"source_embedding.weight", kSourceTable});
      list_.push_back({"target_embedding.weight", kTargetTable});
    }
    if (!has_tied_output(config_.tying)) list_.push_back({"output.weight", kOutput});
    if (config_.output_bias) list_.push_back({"output.bias", kOutputBias});
    if (config_.positions != Positions::learned) return;
    list_.push_back({"source_positions.weight", "src_emb.pe.weight"});
    list_.push_back({"target_positions.weight", "tgt_emb.pe.weight"});
  }

  TransformerConfig config_;
  std::vector<Correspondence> list_;
};

/// Returns the sinusoids in the table of a side, [positions, 1, d_model].
std::optional<ComputedPositions> sinusoids_of(ForeignTensors& tensors, const std::string& side,
                                              std::int64_t d_model) {
  const std::string name = side + "_emb.pe.pe";
  if (!tensors.has(name)) return std::nullopt;
  tensors.ignore(name);
  return computed_positions(tensors.file().read(name), d_model);
}

constexpr const char* kPositionType = "position_encoding_type";

std::string position_type(const EoleConfig& config) {
  return config.embeddings().text(kPositionType, "none");
}

bool is_rotary(const EoleConfig& config) {
  return position_type(config) == "Rotary";
}

/// Returns the section about rotary positions of a side.
JsonFile rope_of(const EoleConfig& config, const std::string& side) {
  constexpr const char* kRope = "rope_config";
  return section(config.of_side(side, kRope), kRope);
}

/// Throws Error for rotary positions that are not those of nmt.
void check_rope(const EoleConfig& config, std::int64_t head_width) {
  constexpr std::int64_t kBase = 10000;
  for (const char* side : kSides) {
    const JsonFile rope = rope_of(config, side);
    const std::int64_t columns = rope.integer("rotary_dim", 0);
    if (columns != 0 && columns != head_width) rope.refuse("rotary_dim", kEoleBeyond);
    if (rope.integer("rotary_theta", kBase) != kBase) rope.refuse("rotary_theta", kEoleBeyond);
    if (rope.integer("interleave_local", 0) != 0) rope.refuse("interleave_local", kEoleBeyond);
    for (const char* key : {"scaling_type", "alpha"}) {
      if (rope.find(key) != nullptr) rope.refuse(key, kEoleBeyond);
    }
  }
}

/// Whether a model rotates neighboring features together, not those of the halves of a head.
bool rotates_neighbors(const EoleConfig& config) {
  constexpr const char* kKey = "rotary_interleave";
  if (!is_rotary(config)) return false;
  const auto of_side = [&](const char* side) { return rope_of(config, side).flag(kKey, true); };
  if (of_side("encoder") != of_side("decoder"))
    rope_of(config, "decoder").refuse(kKey, "different from that of the encoder, which nmt does not support");
  return of_side("encoder");
}

/// Embeddings are scaled if and only if positions are computed and added to them.
void add_positions(ForeignTensors& tensors, const EoleConfig& config, std::int64_t d_model,
                   ModelSettings& settings) {
  if (is_rotary(config)) {
    check_rope(config, d_model / integer_setting(settings, "heads", 1, 1 << 16));
    settings["positions"] = "rotary";
    settings["embedding_scale"] = "1";
    return;
  }
  if (position_type(config) == "Alibi") {
    settings["positions"] = "alibi";
    settings["embedding_scale"] = "1";
    return;
  }
  if (position_type(config) == "Relative") {
    const std::string table = fmt::format("encoder.transformer_layers.0.self_attn.{}", kRelativeTable);
    settings["positions"] = "shaw";
    settings["max_relative_positions"] = std::to_string(tensors(table).rows / 2);
    settings["embedding_scale"] = "1";
    return;
  }
  const auto source = sinusoids_of(tensors, "src", d_model), target = sinusoids_of(tensors, "tgt", d_model);
  set_positions(source, target, settings);
  if (settings["positions"] != "learned") return;
  constexpr const char* kTable = "src_emb.pe.weight";
  if (!tensors.has(kTable)) {
    throw Error("'{}' cannot be opened: it has positions of a kind that nmt does not support ({}: {})",
                tensors.file().path(), kPositionType, position_type(config));
  }
  settings["embedding_scale"] = "1";
  settings["max_positions"] = std::to_string(tensors(kTable).rows);
  settings["position_offset"] = std::to_string(config.embeddings().integer("position_shift", 0));
}

std::string layers_of(const ForeignTensors& tensors, const std::string& side) {
  int count = 0;
  while (tensors.has(fmt::format("{}.transformer_layers.{}.mlp.down_proj.weight", side, count))) ++count;
  return std::to_string(count);
}

}  // namespace

void add_settings_of_tensors(ForeignTensors& tensors, const EoleConfig& config, ModelSettings& settings) {
  const WeightSource source = tensors(kSourceTable);
  const auto rows = [&](const std::string& name) { return std::to_string(tensors(name).rows); };
  const bool one_embedding = !tensors.has(kTargetTable), tied_output = !tensors.has(kOutput);
  settings["tied_embeddings"] =
      one_embedding ? (tied_output ? "all" : "inputs") : (tied_output ? "target" : "none");
  settings["output_bias"] = tensors.has(kOutputBias) ? "true" : "false";
  settings["linear_bias"] = has_linear_biases(tensors.file(), {"linear", ".mlp."}) ? "true" : "false";
  settings["source_vocabulary"] = std::to_string(source.rows);
  settings["target_vocabulary"] = rows(one_embedding ? kSourceTable : kTargetTable);
  settings["d_model"] = std::to_string(source.columns);
  settings["d_ff"] = rows("encoder.transformer_layers.0.mlp.gate_up_proj.weight");
  settings["decoder_d_ff"] = rows("decoder.transformer_layers.0.mlp.gate_up_proj.weight");
  for (const std::string side : {"encoder", "decoder"}) settings[side + "_layers"] = layers_of(tensors, side);
  add_positions(tensors, config, source.columns, settings);
}

std::map<std::string, WeightSource> eole_weights(ForeignTensors& tensors, const ModelSettings& settings) {
  // The factor is for other kinds of layers.
  for (int i = 0; i < std::stoi(settings.at("decoder_layers")); ++i)
    tensors.ignore(fmt::format("decoder.transformer_layers.{}.layer_scalar", i));
  return ours_from(EoleNames(settings).all(), with_biases(tensors), tensors.file().path());
}

namespace {

namespace fs = std::filesystem;

constexpr const char *kEoleVocabulary = "vocab.json", *kEoleConfig = "config.json";

/// Returns eole's default search settings, as far as nmt's searches support them.
DecodingSettings usual_eole_decoding() {
  return {{"beam", "5"},           {"beam_rules", "eole"},     {"length_normalization", "eole"},
          {"length_penalty", "1"}, {"max_length_factor", "2"}, {"max_length_extra", "5"}};
}

}  // namespace

bool is_eole_model(const std::string& path) {
  const auto has = [&](const char* name) { return is_file((fs::path(path) / name).string()); };
  return has(kEoleVocabulary) && has("model.00.safetensors");
}

ForeignModel read_eole_model(const std::string& folder) {
  if (!fs::exists(fs::path(folder) / kEoleConfig))
    throw Error("'{}' has no {}; copy all files of the model", folder, kEoleConfig);
  const EoleConfig config(JsonFile::read(folder, kEoleConfig));
  const EoleVocabulary vocabulary = read_eole_vocabulary((fs::path(folder) / kEoleVocabulary).string());
  ModelSettings settings = eole_settings(config);
  settings["source_special_tokens"] = source_special_tokens_of(vocabulary.names);
  settings["decoder_start"] = decoder_start_of(vocabulary.names, folder);
  ForeignTensors tensors(open_numbered_safetensors(folder));
  add_settings_of_tensors(tensors, config, settings);
  settings = ModelRegistry::instance().complete(std::move(settings));
  auto sources = eole_weights(tensors, settings);
  if (rotates_neighbors(config)) rotate_halves(sources, settings);
  tensors.check_all_asked_for();
  return {.tensors = tensors,
          .settings = settings,
          .decoding = usual_eole_decoding(),
          .vocabularies = vocabularies_of(vocabulary.lists, vocabulary.names, settings),
          .weights = weights_from(sources, settings, folder)};
}

}  // namespace nmt
