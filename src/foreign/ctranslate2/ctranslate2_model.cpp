#include "foreign/ctranslate2/ctranslate2_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/io/folder.h"
#include "foreign/containers/ctranslate2_binary.h"
#include "foreign/containers/json_file.h"
#include "foreign/correspondence.h"
#include "foreign/ctranslate2/ctranslate2_names.h"
#include "foreign/ctranslate2/ctranslate2_relative.h"
#include "foreign/ctranslate2/ctranslate2_rotary.h"
#include "foreign/ctranslate2/ctranslate2_vocabulary.h"
#include "foreign/ctranslate2/sentencepiece_models.h"
#include "foreign/norm_names.h"
#include "foreign/position_table.h"
#include "foreign/rotary.h"
#include "nn/files/safetensors.h"
#include "nn/registry.h"

namespace nmt {

void CTranslate2Attributes::refuse(const std::string& name, const std::string& what) const {
  throw Error("'{}' cannot be opened: it has {} ({}), which nmt does not support", tensors_.file().path(),
              what, name);
}

template <class T>
T CTranslate2Attributes::only(const std::string& name, const std::vector<T>& values) const {
  if (values.size() == 1) return values[0];
  throw Error("'{}': variable {} has {} numbers, not one", tensors_.file().path(), in_quotes(name),
              values.size());
}

std::int64_t CTranslate2Attributes::integer(const std::string& name, std::int64_t otherwise) {
  if (!tensors_.has(name)) return otherwise;
  tensors_.ignore(name);
  return only(name, tensors_.file().read_integers(name));
}

std::string CTranslate2Attributes::text(const std::string& name, const std::string& otherwise) {
  if (!tensors_.has(name)) return otherwise;
  tensors_.ignore(name);
  return tensors_.file().read_text(name);
}

float CTranslate2Attributes::real(const std::string& name, float otherwise) {
  if (!tensors_.has(name)) return otherwise;
  tensors_.ignore(name);
  return only(name, tensors_.file().read(name));
}

std::int64_t CTranslate2Attributes::of_both(const std::string& name, std::int64_t otherwise) {
  const std::int64_t common = integer(name, otherwise);
  const std::int64_t encoder = integer("encoder/" + name, common),
                     decoder = integer("decoder/" + name, common);
  if (encoder != decoder)
    refuse("encoder/" + name,
           fmt::format("{} {} in the encoder, but {} in the decoder", name, encoder, decoder));
  return encoder;
}

std::string CTranslate2Attributes::embedding_scale(const std::string& side) {
  for (const std::string& name : {side + "/scale_embeddings", side + "/embeddings/multiply_by_sqrt_depth"}) {
    const TensorFile::Entry* entry = tensors_.file().find(name);
    if (entry == nullptr) continue;
    if (!is_real(entry->type)) return flag(name, true) ? "sqrt" : "1";
    tensors_.ignore(name);
    return fmt::format("{}", only(name, tensors_.file().read(name)));
  }
  return "sqrt";
}

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

CTranslate2Config read_ctranslate2_config(const Package& package, std::uint32_t version,
                                          CTranslate2Attributes& attributes) {
  constexpr std::uint32_t kFirstWithJson = 6;
  const JsonFile file = JsonFile::read(package, "config.json");
  CTranslate2Config config;
  if (version < kFirstWithJson) {
    take_attributes(attributes, config);
  } else {
    take_json(file, config);
  }
  constexpr const char* kEpsilon = "layer_norm_epsilon";
  if (file.find(kEpsilon) != nullptr) config.layer_norm_epsilon = file.real(kEpsilon, 0);
  if (file.integer("quantization_type", 0) != 0)
    file.refuse("quantization_type", "an encoding of weights (AWQ) that nmt does not support");
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

namespace {

/// Parts of variable names of models with features that nmt does not support.
constexpr std::array kCTranslate2Beyond = {
    std::pair{"/relative_asymmetric_", "relative positions of keys alone"},
    std::pair{"/rotary_scaling_", "rotary positions that are scaled"},
    std::pair{"/conv", "convolutions"},
    std::pair{"weight_zero", "weights of an encoding that is not CTranslate2's own (AWQ)"},
    std::pair{"/project_in/", "embeddings of another width than the layers"},
    std::pair{"/final_logit_softcapping", "logits that are capped"},
    std::pair{"/layer_scalar", "layers that are scaled"},
    std::pair{"/memory_kv/", "merged attention"},
    std::pair{"/q_norm/", "normalized queries"},
    std::pair{"/shared_layer_norm/", "layers beside each other"},
    std::pair{"/input_layer_norm/", "layer normalization in other places"},
    std::pair{"/layer_norm_use_residual", "RMSNorm whose gains count from 1"},
    std::pair{"encoder/embeddings_1/", "more than one input"},
};

/// Flags that must be off.
constexpr std::array kCTranslate2Off = {
    std::pair{"decoder/alibi", "attention with linear biases (ALiBi)"},
    std::pair{"encoder/sliding_window", "attention to a window"},
    std::pair{"decoder/sliding_window", "attention to a window"},
};

/// The gain and the bias of the first normalization of a model. Without the bias, all are RMSNorm.
constexpr const char *kFirstGain = "encoder/layer_0/self_attention/layer_norm/gamma",
                     *kFirstBias = "encoder/layer_0/self_attention/layer_norm/beta";

/// Variables about alignments, models with several inputs, or features that are off.
constexpr std::array<const char*, 9> kCTranslate2Irrelevant = {
    "alignment_layer",          "alignment_heads",
    "decoder/alignment_layer",  "decoder/alignment_heads",
    "embeddings_merge",         "encoder/embeddings_merge",
    "decoder/scale_alibi",      "decoder/alibi_use_positive_positions",
    "decoder/embeddings_merge",
};

class CTranslate2Reader {
 public:
  CTranslate2Reader(ForeignTensors& tensors, const std::string& spec, const CTranslate2Config& config)
      : tensors_(tensors), attributes_(tensors), spec_(spec), config_(config) {}

  ModelSettings settings() {
    check_spec();
    refuse_what_is_missing();
    const bool is_rms = !tensors_.has(kFirstBias);
    const double usual_epsilon = is_rms ? 1e-6 : 1e-5;
    ModelSettings settings = {
        {"type", "transformer"},
        {"norm", variant("norm")},
        {"norm_kind", is_rms ? "rms" : "layer"},
        {"activation", variant("activation")},
        {"ffn_gate", yes_no(tensors_.has("encoder/layer_0/ffn/linear_0_noact/weight"))},
        {"linear_bias", yes_no(has_linear_biases(tensors_.file(), {"/linear_"}))},
        {"attention_scale", attention_scale()},
        {"heads", std::to_string(attributes_.of_both("num_heads", usual_heads()))},
        {"kv_heads", kv_heads()},
        {"embedding_scale", embedding_scale()},
        {"output_bias", yes_no(tensors_.has("decoder/projection/bias"))},
        {"decoder_start", decoder_start()},
        {"source_special_tokens", source_special_tokens_of(config_.tokens)},
        {"layer_norm_epsilon", fmt::format("{}", config_.layer_norm_epsilon.value_or(usual_epsilon))}};
    for (const std::string& key : side_norms())
      settings[key] = yes_no(both_have(side_norm_mark(Toolkit::ctranslate2, key, "")));
    add_sizes(settings);
    add_head_size(settings);
    return settings;
  }

 private:
  static std::string yes_no(bool flag) { return flag ? "true" : "false"; }

  void check_spec() const {
    constexpr std::array<const char*, 4> kKnown = {"", "TransformerBase", "TransformerBig",
                                                   "TransformerSpec"};
    if (std::ranges::count(kKnown, spec_) > 0) return;
    throw Error(
        "'{}' holds a model of the kind {}; only those with an encoder and a decoder, "
        "TransformerSpec, can be opened",
        tensors_.file().path(), in_quotes(spec_));
  }

  void refuse_what_is_missing() {
    for (const auto& [name, entry] : tensors_.file().entries()) {
      for (const auto& [part, what] : kCTranslate2Beyond) {
        if (name.find(part) != name.npos) attributes_.refuse(name, what);
      }
    }
    for (const auto& [name, what] : kCTranslate2Off) {
      if (attributes_.flag(name, false)) attributes_.refuse(name, what);
    }
    for (const char* name : kCTranslate2Irrelevant) tensors_.ignore(name);
    const std::string layer = "encoder/layer_0/self_attention/";
    if (!tensors_.has(kFirstGain) && tensors_.has(layer + "linear_0/weight"))
      attributes_.refuse(layer, "layers without normalization, and so without residual connections");
  }

  bool both_have(const std::string& name) const {
    const bool encoder = tensors_.has("encoder" + name), decoder = tensors_.has("decoder" + name);
    if (encoder != decoder)
      attributes_.refuse((encoder ? "encoder" : "decoder") + name, "normalization of one side only");
    return encoder;
  }

  /// Returns the value of a setting that a number states.
  std::string variant(const std::string& key) {
    const auto& [option, usual] = option_there(Toolkit::ctranslate2, key);
    const std::string number = std::to_string(attributes_.of_both(option, std::stoi(usual)));
    const auto value = value_here(Toolkit::ctranslate2, key, number);
    if (!value) attributes_.refuse("encoder/" + option, fmt::format("another {}, number {},", key, number));
    return *value;
  }

  std::int64_t usual_heads() const { return spec_ == "TransformerBig" ? 16 : 8; }

  std::string embedding_scale() {
    const std::string encoder = attributes_.embedding_scale("encoder"),
                      decoder = attributes_.embedding_scale("decoder");
    if (encoder != decoder)
      attributes_.refuse("encoder/scale_embeddings", "embeddings that are scaled differently on each side");
    return encoder;
  }

  std::string decoder_start() {
    if (attributes_.flag("decoder/start_from_zero_embedding", false)) return "zero";
    return decoder_start_of(config_.tokens, tensors_.file().path());
  }

  /// Returns the number that all attentions of both sides have under a name, as text; nothing if none has it.
  /// `read` takes the name of a variable. Throws Error, which calls other numbers `what`, if they differ.
  template <class Read>
  std::optional<std::string> of_all_attentions(const std::string& attribute, const Read& read,
                                               const std::string& what) {
    std::vector<std::string> names;
    std::int64_t attentions = 0;
    for (const auto& [name, entry] : tensors_.file().entries()) {
      if (name.ends_with("/" + attribute)) names.push_back(name);
      attentions += name.ends_with("attention/linear_0/weight") ? 1 : 0;
    }
    if (names.empty()) return std::nullopt;
    const auto first = read(names[0]);
    const auto is_other = [&](const std::string& name) { return read(name) != first; };
    if (std::ranges::any_of(names, is_other) || std::ssize(names) != attentions)
      attributes_.refuse(names[0], what);
    return fmt::format("{}", first);
  }

  std::string attention_scale() {
    return of_all_attentions(
               kAttentionScale, [this](const std::string& name) { return attributes_.real(name, 0); },
               "scores of attention with another factor in some layers")
        .value_or("inverse_sqrt");
  }

  std::string kv_heads() {
    constexpr const char* kFlag = "encoder/multi_query_attention";  // repeats what the numbers say
    const bool is_shared = attributes_.flag(kFlag, false);
    const auto number = of_all_attentions(
        kKeyHeads, [this](const std::string& name) { return attributes_.integer(name, 0); },
        "another number of heads of keys in some layers");
    if (is_shared && !number) attributes_.refuse(kFlag, "heads that share keys in a form of old versions");
    return number.value_or("0");
  }

  std::int64_t rows(const std::string& name) { return tensors_(name).rows; }

  /// Adds the width of heads that do not divide the width of the model among themselves.
  void add_head_size(ModelSettings& settings) {
    const auto number = [&](const char* key) { return integer_setting(settings, key, 0, 1 << 24); };
    const std::int64_t heads = number("heads"), keys = number("kv_heads") > 0 ? number("kv_heads") : heads;
    const std::int64_t size =
        rows(self_attention_scope("encoder", 0) + "linear_0/weight") / (heads + 2 * keys);
    if (heads * size != number("d_model")) settings["head_size"] = std::to_string(size);
    const auto stated = of_all_attentions(
        kHeadWidth, [this](const std::string& name) { return attributes_.integer(name, 0); },
        "another width of heads in some layers");
    if (stated && *stated != std::to_string(size))
      attributes_.refuse(self_attention_scope("encoder", 0) + kHeadWidth,
                         fmt::format("heads of {} columns, but matrices for {}", *stated, size));
  }

  std::string layers(const std::string& side) const {
    int count = 0;
    while (tensors_.has(fmt::format("{}/layer_{}/ffn/linear_0/weight", side, count))) ++count;
    return std::to_string(count);
  }

  void add_sizes(ModelSettings& settings) {
    const std::string source = ctranslate2_source_table(tensors_);
    const std::int64_t d_ff = rows("encoder/layer_0/ffn/linear_0/weight"),
                       decoder_d_ff = rows("decoder/layer_0/ffn/linear_0/weight");
    settings["d_model"] = std::to_string(tensors_(source).columns);
    settings["d_ff"] = std::to_string(d_ff);
    if (decoder_d_ff != d_ff) settings["decoder_d_ff"] = std::to_string(decoder_d_ff);
    for (const std::string side : {"encoder", "decoder"}) settings[side + "_layers"] = layers(side);
    settings["source_vocabulary"] = std::to_string(rows(source));
    settings["target_vocabulary"] = std::to_string(rows("decoder/embeddings/weight"));
  }

  ForeignTensors& tensors_;
  CTranslate2Attributes attributes_;
  const std::string& spec_;
  const CTranslate2Config& config_;
};

}  // namespace

ModelSettings ctranslate2_settings(ForeignTensors& tensors, const std::string& spec,
                                   const CTranslate2Config& config) {
  return CTranslate2Reader(tensors, spec, config).settings();
}

std::string ctranslate2_source_table(const ForeignTensors& tensors) {
  constexpr const char* kOne = "encoder/embeddings/weight";  // in versions with a single source
  return tensors.has(kOne) ? kOne : "encoder/embeddings_0/weight";
}

namespace {

std::string tying_of(ForeignTensors& tensors, bool one_vocabulary) {
  const std::string source = ctranslate2_source_table(tensors), target = "decoder/embeddings/weight",
                    output = "decoder/projection/weight";
  const bool inputs = one_vocabulary && are_equal(tensors, source, target),
             outputs = are_equal(tensors, target, output);
  if (inputs) return outputs ? "all" : "inputs";
  return outputs ? "target" : "none";
}

void add_positions(ForeignTensors& tensors, ModelSettings& settings) {
  const std::string source = ctranslate2_positions("encoder"), target = ctranslate2_positions("decoder");
  if (const auto biases = relative_biases(tensors, settings)) {
    settings["positions"] = "relative";
    settings["relative_buckets"] = std::to_string(biases->buckets);
    settings["relative_distance"] = std::to_string(biases->distance);
    return;
  }
  const auto farthest = farthest_relative_vectors(tensors);
  if (farthest || rotary_pairs(tensors, settings)) {
    for (const std::string& table : {source, target}) tensors.ignore(table);  // CTranslate2 does not add it
    settings["positions"] = farthest ? "shaw" : "rotary";
    if (farthest) settings["max_relative_positions"] = std::to_string(*farthest);
    return;
  }
  if (!tensors.has(source) && !tensors.has(target)) {  // CTranslate2 computes positions itself
    const ComputedPositions usual = {"tensor2tensor", 1};
    return set_positions(usual, usual, settings);
  }
  const WeightSource encoder = tensors(source), decoder = tensors(target);
  const std::int64_t d_model = integer_setting(settings, "d_model", 0, 1 << 24);
  const auto computed = computed_positions(encoder.values(), d_model);
  set_positions(computed, computed_positions(decoder.values(), d_model), settings);
  if (settings["positions"] == "learned")
    settings["max_positions"] = std::to_string(std::min(encoder.rows, decoder.rows));
}

}  // namespace

void add_settings_of_weights(ForeignTensors& tensors, bool one_vocabulary, ModelSettings& settings) {
  settings["tied_embeddings"] = tying_of(tensors, one_vocabulary);
  add_positions(tensors, settings);
}

namespace {

/// Multiplies the last normalization by the factor that a model has for the output of its decoder.
void scale_outputs(ForeignTensors& tensors, std::map<std::string, WeightSource>& weights) {
  constexpr const char* kName = "decoder/scale_outputs";
  CTranslate2Attributes attributes(tensors);
  const float factor = attributes.real(kName, 1);
  if (factor == 1) return;
  if (!weights.contains("decoder.norm.weight"))
    attributes.refuse(kName, "outputs that are scaled, but not normalized");
  for (const char* name : {"decoder.norm.weight", "decoder.norm.bias"}) {
    const auto found = weights.find(name);
    if (found != weights.end()) found->second = scaled(found->second, factor);
  }
}

}  // namespace

std::map<std::string, WeightSource> ctranslate2_weights(ForeignTensors& tensors,
                                                        const ModelSettings& settings) {
  const TensorOf with_zeros = with_biases(tensors);
  const TensorOf tensor = [&](const std::string& name) {
    const bool is_source_table = name == "encoder/embeddings_0/weight";
    return with_zeros(is_source_table ? ctranslate2_source_table(tensors) : name);
  };
  std::map<std::string, WeightSource> weights =
      ours_from(ctranslate2_names(settings), tensor, tensors.file().path());
  scale_outputs(tensors, weights);
  if (rotary_pairs(tensors, settings) == CTranslate2Pairs::neighbors) rotate_halves(weights, settings);
  if (settings.at("positions") != "learned") return weights;
  const std::int64_t rows = integer_setting(settings, "max_positions", 1, 1 << 24);
  weights["source_positions.weight"] = rows_of(tensors(ctranslate2_positions("encoder")), 0, rows);
  weights["target_positions.weight"] = rows_of(tensors(ctranslate2_positions("decoder")), 0, rows);
  return weights;
}

namespace {

constexpr const char* kBinary = "model.bin";

/// Returns CTranslate2's default search settings.
DecodingSettings usual_ctranslate2_decoding() {
  return {{"beam_rules", "ctranslate2"},     {"beam", "2"},
          {"length_normalization", "power"}, {"length_penalty", "1"},
          {"max_length_factor", "0"},        {"max_length_extra", "256"}};
}

}  // namespace

bool is_ctranslate2_model(const std::string& path) {
  return is_file((std::filesystem::path(path) / kBinary).string());
}

CallersText text_beside(const Package& package, const CTranslate2Config& config) {
  auto [source, target] = sentencepiece_models_in(package);
  // Callers with models of transformers add EOS. Those with models of OpenNMT, which begin with <s>, do not.
  const bool ends_source = source.has_value() && config.tokens.decoder_start != "<s>";
  return {.source = std::move(source), .target = std::move(target), .ends_source = ends_source};
}

ForeignModel read_ctranslate2_model(const Package& package, const TextOfCallers& text) {
  const auto binary = std::make_shared<const CTranslate2Binary>(package.map(kBinary), package.shown(kBinary));
  ForeignTensors tensors(binary);
  CTranslate2Attributes attributes(tensors);
  CTranslate2Config config = read_ctranslate2_config(package, binary->version(), attributes);
  TokenLists lists = read_ctranslate2_lists(package);
  CallersText of_callers = text(package, config);
  lists.source_pieces = std::move(of_callers.source);
  lists.target_pieces = std::move(of_callers.target);
  lists.first = std::move(of_callers.first);
  config.tokens.source_has_eos |= of_callers.ends_source;
  ModelSettings settings = ctranslate2_settings(tensors, binary->spec(), config);
  add_settings_of_weights(tensors, lists.are_one(), settings);
  settings = ModelRegistry::instance().complete(std::move(settings));
  const auto sources = ctranslate2_weights(tensors, settings);
  tensors.check_all_asked_for();
  return {.tensors = tensors,
          .settings = settings,
          .decoding = usual_ctranslate2_decoding(),
          .vocabularies = vocabularies_of(lists, config.tokens, settings),
          .weights = weights_from(sources, settings, binary->path())};
}

ForeignModel read_ctranslate2_model(const std::string& folder) {
  return read_ctranslate2_model(*Package::open(folder), text_beside);
}

}  // namespace nmt
