#include "engine/models.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "common/error.h"
#include "common/io/folder.h"
#include "common/process/resources.h"
#include "hub/fetch.h"
#include "nn/files/file_weights.h"

namespace nmt {
namespace {

/// Throws Error if two models cannot search and score together.
void check_go_together(const SavedModel& a, const std::string& path_a, const SavedModel& b,
                       const std::string& path_b) {
  if (a.model->target_direction() != b.model->target_direction()) {
    throw Error(
        "'{}' and '{}' read targets in different directions (target_direction); use models of one direction, "
        "or score with each by itself",
        path_a, path_b);
  }
  if (!a.model->has_source() || !b.model->has_source()) {
    check_same_target_vocabulary(a.vocabularies, path_a, b.vocabularies, path_b);
    return;
  }
  check_same_vocabularies(a.vocabularies, path_a, b.vocabularies, path_b);
  if (a.model->source_special_tokens() != b.model->source_special_tokens())
    throw Error(
        "'{}' and '{}' use different special tokens around a source (source_special_tokens); use models with "
        "the same ones",
        path_a, path_b);
}

/// Returns the rows of output layers that searches read with such a shortlist.
OutputRows rows_read_with(ShortlistUse shortlist, const ModelFile& first) {
  const bool has_one =
      shortlist == ShortlistUse::other || (shortlist == ShortlistUse::of_model && has_shortlist(first));
  return has_one ? OutputRows::selected : OutputRows::all;
}

std::vector<SavedModel> open_all(const std::vector<ModelFile>& files, Backend& device,
                                 ShortlistUse shortlist) {
  std::vector<SavedModel> models;
  for (const ModelFile& file : files) {
    models.push_back(open_model(file, device, rows_read_with(shortlist, files[0])));
    if (shortlist != ShortlistUse::of_model) models.back().shortlist = nullptr;
    check_go_together(models.back(), file.path(), models[0], files[0].path());
  }
  return models;
}

/// Returns the weights of `models` models and of the language model, which comes last; empty: all are 1.
std::vector<double> all_weights(const ModelUse& use, std::size_t models) {
  std::vector<double> weights = use.weights;
  if (!use.language_model) return weights;
  if (weights.empty()) weights.assign(models, 1);
  weights.push_back(use.language_model->weight);
  return weights;
}

/// Returns the files of the models and of the language model, which comes last.
std::vector<ModelFile> all_files(const std::vector<std::string>& paths, const ModelUse& use) {
  std::vector<ModelFile> files;
  files.reserve(paths.size() + 1);
  ForeignFiles beside = use.files;
  beside.with_shortlist = use.shortlist == ShortlistUse::of_model;
  for (const std::string& path : paths) files.push_back(open_model_file(path, beside));
  if (use.language_model) files.push_back(open_model_file(use.language_model->file));
  return files;
}

/// Returns the languages to set for a language model: that of the target, if its texts begin with a language.
Languages languages_of_targets(const SavedModel& model, const Languages& languages) {
  const Languages all = languages.or_else(usual_languages(model.decoding));
  const bool is_told = model.vocabularies.target.for_languages(Side::target, all).tells_languages();
  return is_told ? Languages{.source = "", .target = all.target} : Languages();
}

/// Returns the best or last model of a run, or a directory that is a model of another toolkit; empty if a
/// directory is neither.
std::string model_in(const std::string& folder) {
  std::error_code ignored;
  for (const char* name : {"best.safetensors", "last.safetensors"}) {
    std::string file = (std::filesystem::path(folder) / name).string();
    if (std::filesystem::exists(file, ignored)) return file;
  }
  return toolkit_of(folder).empty() ? "" : folder;
}

/// Returns the folder of a file that is part of a model of another toolkit; otherwise the path itself.
std::string whole_model(const std::string& path) {
  static const std::set<std::string> kParts = {"model.bin", "model.safetensors", "pytorch_model.bin",
                                               "config.json"};
  const std::filesystem::path file(path);
  std::error_code ignored;
  if (!kParts.contains(file.filename().string()) || !is_file(path)) return path;
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  if (!toolkit_of(path).empty() || toolkit_of(folder).empty()) return path;
  try {
    const ModelFile of_nmt(path);
    return path;
  } catch (const Error&) {
    return folder;
  }
}

/// Says what to do about a directory that has no model.
std::string advice_without_model(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const char* weights : {"model.safetensors", "pytorch_model.bin"}) {
    if (std::filesystem::exists(folder / weights, ignored) &&
        !std::filesystem::exists(folder / "config.json", ignored)) {
      return fmt::format("if {} is of Hugging Face, config.json is missing; otherwise name the file itself",
                         weights);
    }
  }
  std::vector<std::string> entries = entries_of(folder.string());
  std::ranges::sort(entries);
  for (const std::string& entry : entries) {
    if (std::filesystem::is_directory(entry, ignored) && !model_in(entry).empty())
      return fmt::format("name '{}', which has one", entry);
  }
  return "name a model or a run";
}

}  // namespace

std::string local_path(const std::string& path, const JobContext& job) {
  if (!is_hub_name(path)) return path;
  const auto variable = [](const char* name) -> const char* { return std::getenv(name); };
  const HubSettings settings = hub_settings(variable);
  std::string folder = fetch_model(parse_hub_name(path), settings, job);
  // Models that judge translations may have the tokenizer of another model of the Hub.
  if (const std::string other = model_with_tokenizer_of(folder); !other.empty())
    fetch_tokenizer(parse_hub_name("hf:" + other), settings, job);
  return folder;
}

std::string model_file(const std::string& path, const JobContext& job) {
  if (is_hub_name(path)) return model_file(local_path(path, job));
  std::error_code ignored;  // a path that cannot be inspected cannot be opened, and opening it reports why
  const std::filesystem::path place(path);
  if (may_be_on_hub(path) && !std::filesystem::exists(place.parent_path(), ignored))
    throw Error("the folder '{}' is missing; if the model is on the Hugging Face Hub, name it 'hf:{}'",
                place.parent_path().string(), path);
  if (!std::filesystem::is_directory(path, ignored)) return whole_model(path);
  if (std::string found = model_in(path); !found.empty()) return found;
  if (std::filesystem::exists(std::filesystem::path(path) / "train.log", ignored))
    throw Error("'{}' is a run that has not saved a model yet; continue its training first", path);
  if (const std::string parts = parts_of_model(path); !parts.empty()) {
    throw Error(
        "'{}' is a directory with {}, but without a model; add its file, such as model.npz or model.bin",
        path, parts);
  }
  throw Error(
      "'{}' is a directory without best.safetensors or last.safetensors, and without the files of a model of "
      "another toolkit; {}",
      path, advice_without_model(path));
}

void refuse_language_model(const SavedModel& model, const std::string& path) {
  if (model.model->has_source()) return;
  throw Error(
      "'{}' is a language model, of type {}, which cannot translate; use it to score text (nmt score), or "
      "together with a translation model (`lm` of nmt translate)",
      path, model.settings.at("type"));
}

void warn_of_short_vocabularies(const Vocabularies& vocabularies, const std::string& path, Log& log) {
  const auto warn = [&](const char* side, const Vocabulary& vocabulary) {
    // M2M-100, mBART and NLLB have rows without pieces.
    const LanguageUse::Source use = vocabulary.language_use().source;
    const bool is_usual = use == LanguageUse::Source::own_before || use == LanguageUse::Source::own_at_end;
    if (is_usual || vocabulary.size() == vocabulary.rows()) return;
    log.warning(
        "'{}': its {} vocabulary has {} pieces, but its table has {} rows; make sure that the vocabulary is "
        "of this model",
        path, side, vocabulary.size(), vocabulary.rows());
  };
  if (vocabularies.shared()) return warn("shared", vocabularies.source);
  warn("source", vocabularies.source);
  warn("target", vocabularies.target);
}

Models::Models(const std::vector<std::string>& files, DeviceSettings device, const ModelUse& use)
    : Models(all_files(files, use), std::move(device), all_weights(use, files.size()), use.shortlist) {
  const std::optional<FusedLanguageModel>& language_model = use.language_model;
  const auto translates = [](const SavedModel& model) { return model.model->has_source(); };
  if (language_model || std::ranges::any_of(models_, translates)) {
    for (std::size_t i = 0; i < files.size(); ++i) refuse_language_model(models_[i], files[i]);
  }
  if (language_model && models_.back().model->has_source()) {
    throw Error(
        "'{}' is a translation model, of type {}, but `lm` needs a language model; name it as a model of the "
        "ensemble",
        language_model->file, models_.back().settings.at("type"));
  }
}

std::unique_ptr<Backend> open_device_for(std::span<const ModelFile> files, DeviceSettings device) {
  device.quantized_models = std::ranges::all_of(files, is_quantized);
  return open_backend(device);
}

Models::Models(const std::vector<ModelFile>& files, DeviceSettings device, std::vector<double> weights,
               ShortlistUse shortlist)
    : device_(open_device_for(files, std::move(device))),
      models_(open_all(files, *device_, shortlist)),
      weights_(std::move(weights)),
      workers_(*device_) {
  return_freed_memory();  // of reading large vocabularies
}

void Models::use_languages(const Languages& languages) {
  for (SavedModel& model : models_) {
    nmt::use_languages(model, model.model->has_source() ? languages : languages_of_targets(model, languages));
  }
  const auto& [source, target] = vocabularies();
  for (const SavedModel& model : models_) {
    if (model.vocabularies.target == target &&
        (!model.model->has_source() || model.vocabularies.source == source))
      continue;
    throw UsageError(
        "the models of the ensemble have different default languages; name those of the text with "
        "`source_language` and `target_language`");
  }
}

std::vector<const SavedModel*> Models::all() const {
  std::vector<const SavedModel*> pointers;
  pointers.reserve(models_.size());
  for (const SavedModel& model : models_) pointers.push_back(&model);
  return pointers;
}

}  // namespace nmt
