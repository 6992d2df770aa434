#include "foreign/fairseq/fairseq_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "common/error.h"
#include "common/io/folder.h"
#include "common/text/spelling.h"
#include "foreign/containers/pytorch/torch_checkpoint.h"
#include "foreign/correspondence.h"
#include "foreign/fairseq/fairseq_settings.h"
#include "foreign/fairseq/fairseq_text.h"
#include "foreign/huggingface/huggingface_names.h"
#include "nn/registry.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCheckpointEnding = ".pt", kTheirPrefix = "model.";
constexpr const char *kFairseqSource = "encoder.embed_tokens.weight",
                     *kFairseqTarget = "decoder.embed_tokens.weight",
                     *kFairseqOutput = "decoder.output_projection.weight", *kOldOutput = "decoder.embed_out",
                     *kSourcePositions = "encoder.embed_positions.weight",
                     *kTargetPositions = "decoder.embed_positions.weight";

std::vector<std::string> checkpoints_in(const std::string& folder) {
  std::vector<std::string> found = entries_of(folder);
  std::erase_if(found,
                [](const std::string& path) { return !path.ends_with(kCheckpointEnding) || !is_file(path); });
  std::ranges::sort(found);
  return found;
}

/// Returns the checkpoint at a path, which may be its folder.
std::string checkpoint_at(const std::string& path) {
  if (is_file(path)) return path;
  const std::vector<std::string> found = checkpoints_in(path);
  if (found.size() == 1) return found[0];
  std::vector<std::string> names;
  for (const std::string& each : found) names.push_back(fs::path(each).filename().string());
  throw Error("'{}' has {} checkpoints, {}; name the file of one of them", path, found.size(),
              join(names, ", "));
}

/// Returns all weights with their names in checkpoints, from which those of transformers come.
std::vector<Correspondence> names_in_checkpoint(const ModelSettings& settings) {
  std::vector<Correspondence> names = huggingface_names(settings);
  for (Correspondence& pair : names) {
    if (pair.theirs.starts_with(kTheirPrefix)) pair.theirs.erase(0, kTheirPrefix.size());
    if (pair.ours == "embedding.weight") pair.theirs = kFairseqSource;
    if (pair.ours == "output.weight") pair.theirs = kFairseqOutput;
  }
  return names;
}

/// Returns the name of a normalization in old checkpoints: by its number in the layer.
std::string old_norm_name(const std::string& name) {
  const bool decodes = name.starts_with("decoder.");
  const std::array<std::pair<const char*, int>, 3> norms = {
      {{"self_attn_layer_norm", 0}, {"encoder_attn_layer_norm", 1}, {"final_layer_norm", decodes ? 2 : 1}}};
  for (const auto& [norm, number] : norms) {
    const std::size_t at = name.find(norm);
    if (at != name.npos)
      return fmt::format("{}layer_norms.{}{}", name.substr(0, at), number,
                         name.substr(at + std::string_view(norm).size()));
  }
  return name;
}

/// Finds tensors, also under their names in old checkpoints.
class OldNames {
 public:
  explicit OldNames(ForeignTensors& tensors) : tensors_(tensors) {}

  WeightSource operator()(const std::string& name) const {
    if (tensors_.has(name)) return tensors_(name);
    if (name == kFairseqOutput && tensors_.has(kOldOutput)) return tensors_(kOldOutput);
    if (name == kFairseqSource && tensors_.has(kFairseqTarget)) return tensors_(kFairseqTarget);
    if (const std::string old = old_norm_name(name); tensors_.has(old)) return tensors_(old);
    if (const std::string whole = fused_name(name); tensors_.has(whole)) return third(whole, name);
    return tensors_(name);  // reports it
  }

 private:
  /// Returns the name of the tensor that has the projections of queries, keys and values.
  static std::string fused_name(const std::string& name) {
    const std::size_t at = name.find("_proj.");
    if (at == name.npos || at == 0 || std::string_view("qkv").find(name[at - 1]) == std::string_view::npos)
      return name;
    return fmt::format("{}in_proj_{}", name.substr(0, at - 1),
                       name.substr(at + std::string_view("_proj.").size()));
  }

  WeightSource third(const std::string& whole, const std::string& name) const {
    const WeightSource weight = tensors_(whole);
    const bool is_vector = weight.rows == 1;
    const WeightSource rows = is_vector ? transposed(weight) : weight;
    if (rows.rows % 3 != 0) throw Error("'{}': {} is not three matrices", tensors_.file().path(), whole);
    const auto part = static_cast<std::int64_t>(std::string_view("qkv").find(name[name.find("_proj.") - 1]));
    WeightSource own = rows_of(rows, part * (rows.rows / 3), rows.rows / 3);
    return is_vector ? transposed(std::move(own)) : own;
  }

  ForeignTensors& tensors_;
};

std::string rows_of_words(ForeignTensors& tensors, const ModelSettings& settings, const char* table) {
  const bool is_shared = settings.at("tied_embeddings") == "all";
  return std::to_string(OldNames(tensors)(is_shared ? kFairseqSource : table).rows);
}

/// Adds the settings that follow from tensors.
void add_settings_of_tensors(ForeignTensors& tensors, ModelSettings& settings) {
  settings["source_vocabulary"] = rows_of_words(tensors, settings, kFairseqSource);
  settings["target_vocabulary"] = rows_of_words(tensors, settings, kFairseqTarget);
  // Old versions had no normalization after the layers.
  const bool has_final = tensors.has("encoder.layer_norm.weight");
  if (tensors.has("decoder.layer_norm.weight") != has_final) {
    throw Error("'{}': only one side is normalized after its layers, which nmt does not support",
                tensors.file().path());
  }
  settings["final_norm"] = has_final ? "true" : "false";
  if (settings.at("positions") != "learned") return;
  settings["max_positions"] =
      std::to_string(std::min(tensors(kSourcePositions).rows, tensors(kTargetPositions).rows));
}

std::map<std::string, WeightSource> fairseq_weights(ForeignTensors& tensors, const ModelSettings& settings) {
  std::map<std::string, WeightSource> weights =
      ours_from(names_in_checkpoint(settings), TensorOf(OldNames(tensors)), tensors.file().path());
  for (const char* name : {"source_positions.weight", "target_positions.weight"}) {
    const auto table = weights.find(name);
    if (table != weights.end())
      table->second = rows_of(table->second, 0, integer_setting(settings, "max_positions", 1, 1 << 24));
  }
  for (const std::string side : {"encoder.", "decoder."}) {
    for (const char* name : {"version", "embed_positions._float_tensor", "embed_positions.weights"})
      tensors.ignore(side + name);
  }
  const std::string& tying = settings.at("tied_embeddings");
  if (tying == "all") tensors.ignore(kFairseqTarget);
  if (tying != "none") {
    tensors.ignore(kFairseqOutput);
    tensors.ignore(kOldOutput);
  }
  tensors.check_all_asked_for();
  return weights;
}

/// Throws Error if a list is not that of a table, whose rows are exactly its words.
void check_size(const ListedTokens& list, const ModelSettings& settings, const char* side) {
  const std::string rows = std::to_string(list.words.size());
  if (settings.at(side) != rows)
    throw Error("'{}' has {} words with the special ones, but the table of the model has {} rows", list.name,
                rows, settings.at(side));
}

/// Returns the search settings of fairseq-generate.
DecodingSettings usual_fairseq_decoding() {
  constexpr const char* kPadding = "1";
  return {{"beam", "5"},
          {"beam_rules", "huggingface"},
          {"patience", "1"},
          {"length_normalization", "power"},
          {"length_penalty", "1"},
          {"max_length_factor", "0"},
          {"max_length_extra", "200"},
          {"suppress", kPadding}};
}

}  // namespace

bool is_fairseq_model(const std::string& path) {
  if (!is_file(path)) return !dictionaries_in(path).empty() && !checkpoints_in(path).empty();
  return path.ends_with(kCheckpointEnding);
}

ForeignModel read_fairseq_model(const std::string& path) {
  const std::string file = checkpoint_at(path);
  TrainingCheckpoint checkpoint =
      open_training_checkpoint(file, "model", {kFairseqArguments, kFairseqConfig});
  const JsonFile theirs = fairseq_settings(checkpoint.settings, file);
  ModelSettings settings = settings_of_fairseq(theirs);
  ForeignTensors tensors(std::move(checkpoint.tensors));
  add_settings_of_tensors(tensors, settings);
  const TokenLists lists = fairseq_lists(parent_folder(file), theirs);
  check_size(lists.source, settings, "source_vocabulary");
  check_size(lists.target, settings, "target_vocabulary");
  const TokenNames names = fairseq_names();
  settings["source_special_tokens"] = source_special_tokens_of(names);
  settings["decoder_start"] = decoder_start_of(names, file);
  settings = ModelRegistry::instance().complete(std::move(settings));
  return {.tensors = tensors,
          .settings = settings,
          .decoding = usual_fairseq_decoding(),
          .vocabularies = vocabularies_of(lists, names, settings),
          .weights = weights_from(fairseq_weights(tensors, settings), settings, file)};
}

std::vector<std::string> files_of_fairseq_model(const std::string& path) {
  if (!is_file(path)) return {};
  std::vector<std::string> files = dictionaries_in(parent_folder(path));
  files.push_back(path);
  return files;
}

}  // namespace nmt
