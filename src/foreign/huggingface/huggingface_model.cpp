#include "foreign/huggingface/huggingface_model.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/io/folder.h"
#include "foreign/containers/json_file.h"
#include "foreign/containers/weight_folder.h"
#include "foreign/huggingface/fsmt.h"
#include "foreign/huggingface/huggingface_settings.h"
#include "foreign/huggingface/huggingface_weights.h"
#include "foreign/huggingface/indictrans.h"
#include "foreign/huggingface/t5.h"
#include "foreign/huggingface/tokenizer.h"
#include "nn/registry.h"

namespace nmt {
namespace {

constexpr const char *kConfig = "config.json", *kGeneration = "generation_config.json";

bool is_there(const std::string& folder, const std::string& name) {
  return is_file((std::filesystem::path(folder) / name).string());
}

/// Facts about a model, except its weights and vocabularies.
struct Description {
  JsonFile config;
  HuggingFaceFamily family;
  Generation generation;
  std::optional<int> start;  // first token of the decoder input; none: the user names a language
  ModelSettings settings;
  PaddingRow padding = {};

  int rows(const char* side) const { return std::stoi(settings.at(side)); }
  bool has_padding() const { return padding.use != PaddingRow::Use::dropped; }
  bool begins_with_zero() const { return !has_padding() && start == padding.id; }
};

/// Returns an id after checking that it is in the target vocabulary.
int checked_id(const Description& model, const JsonFile& file, const std::string& key) {
  const std::int64_t id = file.integer(key, -1);
  if (id < 0 || id >= model.rows("target_vocabulary")) file.refuse(key, "not an id of the vocabulary");
  return static_cast<int>(id);
}

std::optional<int> start_in(const Description& model, const JsonFile& generation) {
  constexpr const char* kKey = "decoder_start_token_id";
  const bool in_config = model.config.find(kKey) != nullptr, in_generation = generation.find(kKey) != nullptr;
  if (!in_config && !in_generation) {
    if (model.family == HuggingFaceFamily::mbart) return std::nullopt;
    model.config.refuse(kKey, "missing; the file is not complete");
  }
  const int start = checked_id(model, in_config ? model.config : generation, kKey);
  if (in_generation && checked_id(model, generation, kKey) != start)
    generation.refuse(kKey, fmt::format("not {}, as config.json says", start));
  return start;
}

/// Decides about the row of <pad> of a MarianMTModel. No search allows it, and some exclude it from the
/// softmax, which nmt does not support for any other token.
PaddingRow padding_in(const Description& model, ForeignTensors& tensors, const JsonFile& generation_file) {
  const std::vector<std::int64_t>& suppressed = model.generation.suppressed;
  if (model.family != HuggingFaceFamily::marian) {
    if (model.generation.is_renormalized && !suppressed.empty())
      generation_file.refuse("renormalize_logits",
                             "which nmt does not support together with forbidden tokens");
    return {};
  }
  const int id = checked_id(model, model.config, "pad_token_id");
  const bool is_left_out = model.generation.is_renormalized && suppressed == std::vector<std::int64_t>{id};
  if (model.generation.is_renormalized && !suppressed.empty() && !is_left_out)
    generation_file.refuse("renormalize_logits",
                           "which nmt supports only if <pad> is the only forbidden token");
  return padding_row(tensors, model.settings, id, is_left_out);
}

Description describe(const std::string& folder, JsonFile config, HuggingFaceFamily family,
                     ForeignTensors& tensors) {
  if (family == HuggingFaceFamily::fsmt) config = with_fsmt_defaults(config);
  if (family == HuggingFaceFamily::indictrans) config = with_usual_keys(config);
  const JsonFile generation = is_there(folder, kGeneration) ? JsonFile::read(folder, kGeneration) : config;
  Description model{.config = std::move(config),
                    .family = family,
                    .generation = read_generation(generation),
                    .start = {},
                    .settings = {}};
  if (is_t5(family)) {
    model.settings = t5_settings(model.config, family, tensors);
  } else {
    model.settings = huggingface_settings(model.config, family);
    if (family == HuggingFaceFamily::fsmt) add_fsmt_settings(tensors, model.settings);
    if (family == HuggingFaceFamily::indictrans) add_indictrans_settings(model.config, model.settings);
    add_settings_of_tensors(tensors, family, model.settings);
  }
  model.start = start_in(model, generation);
  model.padding = padding_in(model, tensors, generation);
  if (!model.has_padding()) {
    for (const char* side : {"source_vocabulary", "target_vocabulary"})
      model.settings[side] = std::to_string(model.rows(side) - 1);
  }
  return model;
}

/// Returns the language whose token has this id; empty if there is none.
std::string language_of(const Vocabulary& vocabulary, std::int64_t id) {
  if (id < 0 || id >= vocabulary.size()) return "";
  std::string code = vocabulary.piece(static_cast<int>(id));
  if (code.starts_with("__") && code.ends_with("__") && code.size() > 4)
    code = code.substr(2, code.size() - 4);
  const std::vector<std::string> codes = vocabulary.languages();
  return std::ranges::find(codes, code) == codes.end() ? "" : code;
}

/// Whether all translations begin with a token, whatever their language.
bool always_begins_with(const Vocabulary& target, std::int64_t id) {
  if (!target.languages().empty()) return false;
  const std::vector<int> first = target.for_languages(Side::target, {}).first_tokens();
  return first.size() == 1 && first[0] == id;
}

/// Returns the setting `decoder_start`. If the decoder begins with a language, it is the default language.
std::string decoder_start(const Description& model, HuggingFaceTokenizer& tokenizer) {
  const Vocabulary& target = tokenizer.vocabularies.target;
  if (model.begins_with_zero()) return "zero";
  if (!model.start) return "bos";
  if (model.start == target.end()) return "eos";
  if (model.start == target.begin()) return "bos";
  const std::string language = language_of(target, *model.start);
  if (language.empty())
    model.config.refuse("decoder_start_token_id", "neither EOS nor a start token that nmt supports");
  tokenizer.usual.target = language;
  return "bos";
}

/// Adds search settings that depend on the vocabulary.
std::map<std::string, std::string> decoding(const Description& model, HuggingFaceTokenizer& tokenizer) {
  std::map<std::string, std::string> settings = model.generation.decoding;
  const Vocabulary& target = tokenizer.vocabularies.target;
  std::set<std::int64_t> suppressed(model.generation.suppressed.begin(), model.generation.suppressed.end());
  if (suppressed.contains(target.end()))
    throw Error("'{}': EOS is forbidden, so no translation can end", model.config.name());
  std::erase_if(suppressed, [&](std::int64_t id) { return id < 0 || id >= target.rows(); });
  if (!suppressed.empty()) settings["suppress"] = fmt::format("{}", fmt::join(suppressed, " "));
  if (const auto first = model.generation.first_token; first && !always_begins_with(target, *first)) {
    tokenizer.usual.target = language_of(target, *first);
    if (tokenizer.usual.target.empty()) {
      throw Error("'{}': forced_bos_token_id is {}, which is not a language token", model.config.name(),
                  *first);
    }
  }
  if (!tokenizer.usual.source.empty()) settings["source_language"] = tokenizer.usual.source;
  if (!tokenizer.usual.target.empty()) settings["target_language"] = tokenizer.usual.target;
  return settings;
}

/// Returns the maximum number of tokens of a sentence in transformers, EOS not counted. None if the model has
/// a table of positions, which limits sentences anyway, and for the default of transformers, which says
/// nothing about the training.
std::optional<std::int64_t> trained_length(const JsonFile& config, const ModelSettings& settings) {
  const std::int64_t positions = config.integer("max_position_embeddings", kUsualPositions);
  const bool says_nothing = positions <= 1 || positions == kUsualPositions;
  if (settings.at("positions") == "learned" || says_nothing) return std::nullopt;
  return positions - 1;
}

void check_end(const JsonFile& config, const Vocabulary& target) {
  if (config.integer("eos_token_id", target.end()) != target.end())
    config.refuse("eos_token_id", fmt::format("not the id of </s> in the vocabulary, {}", target.end()));
}

}  // namespace

bool is_huggingface_model(const std::string& path) {
  if (!is_there(path, kConfig)) return false;
  try {
    const JsonFile config = JsonFile::read(path, kConfig);
    return config.find("model_type") != nullptr || config.find("architectures") != nullptr;
  } catch (const Error&) {  // reading the file reports it
    return true;
  }
}

Languages languages_of_huggingface_model(const std::string& folder) {
  if (!is_there(folder, kConfig)) return {};
  try {
    if (family_in(JsonFile::read(folder, kConfig)) == HuggingFaceFamily::fsmt) return fsmt_languages(folder);
  } catch (const Error&) {  // reading the model reports it
  }
  return {};
}

ForeignModel read_huggingface_model(const std::string& folder) {
  JsonFile config = JsonFile::read(folder, kConfig);
  const HuggingFaceFamily family = family_in(config);
  ForeignTensors tensors(open_weight_folder(folder));
  Description model = describe(folder, std::move(config), family, tensors);
  HuggingFaceTokenizer tokenizer =
      read_tokenizer(folder, model.config, model.family,
                     {.source_rows = model.rows("source_vocabulary"),
                      .target_rows = model.rows("target_vocabulary"),
                      .begin = model.begins_with_zero() ? std::nullopt : model.start,
                      .has_padding = model.has_padding()});
  check_end(model.config, tokenizer.vocabularies.target);
  ModelSettings& settings = model.settings;
  settings["decoder_start"] = decoder_start(model, tokenizer);
  settings = ModelRegistry::instance().complete(std::move(settings));
  const auto sources = is_t5(family) ? t5_weights(tensors, model.config, family, settings)
                                     : huggingface_weights(tensors, settings, model.padding);
  return {.tensors = tensors,
          .settings = settings,
          .decoding = decoding(model, tokenizer),
          .vocabularies = tokenizer.vocabularies,
          .weights = weights_from(sources, settings, folder),
          .trained_length = trained_length(model.config, settings)};
}

}  // namespace nmt
