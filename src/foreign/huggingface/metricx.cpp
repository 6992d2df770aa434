#include "foreign/huggingface/metricx.h"

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "common/error.h"
#include "common/io/folder.h"
#include "common/io/memory_map.h"
#include "common/text/spelling.h"
#include "foreign/containers/json_file.h"
#include "foreign/containers/weight_folder.h"
#include "foreign/huggingface/huggingface_names.h"
#include "foreign/huggingface/t5.h"
#include "foreign/huggingface/tokenizer.h"
#include "foreign/tokenizer_places.h"
#include "nn/metricx/metricx_config.h"
#include "nn/registry.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr const char *kMetricXConfig = "config.json", *kMetricXClass = "MT5ForRegression";
// The word <extra_id_10> of mT5, whose logit is the score.
constexpr std::int64_t kScoreWord = 250089;
const std::vector<std::string> kTokenizerFiles = {"spiece.model", "tokenizer.json"};
// All have the same tokenizer. The first one is that of the examples of MetricX.
const std::vector<std::string> kModelsWithTokenizer = {"google/mt5-xl", "google/mt5-large", "google/mt5-xxl",
                                                       "google/mt5-base", "google/mt5-small"};

/// Returns the kind that a name says; empty: none.
std::string kind_in_name(const std::string& name) {
  const std::string lower = boost::algorithm::to_lower_copy(name);
  for (const char* separator : {"-", "_", ""}) {
    const std::string start = std::string("metricx") + separator;
    if (lower.find(start + "24") != lower.npos) return "metricx-24";
    if (lower.find(start + "23") == lower.npos) continue;
    return lower.find("qe") == lower.npos ? "metricx-23" : "metricx-23-qe";
  }
  return "";
}

/// Returns the kind of a model, which its files do not say.
std::string metricx_kind(const std::string& folder, const JsonFile& config) {
  fs::path path = fs::absolute(folder).lexically_normal();
  for (; path != path.root_path(); path = path.parent_path()) {
    if (std::string kind = kind_in_name(path.filename().string()); !kind.empty()) return kind;
  }
  if (std::string kind = kind_in_name(config.text("_name_or_path", "")); !kind.empty()) return kind;
  throw Error(
      "'{}': its files do not say which generation of MetricX it is; give its folder a name with metricx-23, "
      "metricx-23-qe or metricx-24",
      folder);
}

/// Returns the folder of the tokenizer; empty: it is missing.
std::string tokenizer_folder(const std::string& model, const ForeignFiles& files) {
  if (!files.source_vocabulary) {
    const std::string found = find_tokenizer(model, kModelsWithTokenizer, kTokenizerFiles);
    return found.empty() ? "" : parent_folder(found);
  }
  const std::string& named = *files.source_vocabulary;
  std::error_code ignored;
  const bool is_folder = fs::is_directory(named, ignored);
  if (!is_folder) static_cast<void>(map_file(named));  // reports that it is missing before anything else
  std::string folder = is_folder ? named : parent_folder(named);
  const bool is_usual =
      is_folder || std::ranges::count(kTokenizerFiles, fs::path(named).filename().string()) > 0;
  if (is_usual && !tokenizer_in(folder, kTokenizerFiles).empty()) return folder;
  throw Error("'{}' is not the tokenizer of an mT5; name its {}, or the folder with one of them", named,
              join(kTokenizerFiles, " or "));
}

/// Returns the vocabulary of mT5. `rows`: of the model's table.
Vocabulary mt5_vocabulary(const std::string& model, const ForeignFiles& files, const JsonFile& config,
                          int rows) {
  const std::string folder = tokenizer_folder(model, files);
  if (folder.empty()) {
    throw Error(
        "the tokenizer of mT5 is missing, which is not part of '{}'; put {} of {} into this folder, or name "
        "it "
        "once with nmt convert --vocab",
        model, join(kTokenizerFiles, " or "), kModelsWithTokenizer.front());
  }
  return read_tokenizer(folder, config, HuggingFaceFamily::mt5,
                        {.source_rows = rows, .target_rows = rows, .begin = 0, .has_byte_fallback = false})
      .vocabularies.source;
}

ModelSettings metricx_settings(const std::string& folder, const JsonFile& config, ForeignTensors& tensors) {
  ModelSettings settings = t5_settings(config, HuggingFaceFamily::mt5, tensors);
  std::erase_if(settings, [](const auto& setting) {
    return std::ranges::find(metricx_keys(), setting.first, &ModelKey::name) == metricx_keys().end();
  });
  settings["type"] = "metricx";
  settings["kind"] = metricx_kind(folder, config);
  return ModelRegistry::instance().complete(std::move(settings));
}

/// Returns the row of the output layer whose product is the score.
WeightSource score_row(const JsonFile& config, ForeignTensors& tensors) {
  const WeightSource output = tensors(kHuggingFaceOutput);
  if (output.rows <= kScoreWord) {
    throw Error("'{}': {} has {} rows, but the score of MetricX is the logit of word {}",
                tensors.file().path(), in_quotes(kHuggingFaceOutput), output.rows, kScoreWord);
  }
  WeightSource row = rows_of(output, kScoreWord, 1);
  if (!config.flag("tie_word_embeddings", false)) return row;
  return scaled(row, 1 / std::sqrt(static_cast<double>(row.columns)));
}

std::map<std::string, WeightSource> metricx_weights(const JsonFile& config, ForeignTensors& tensors,
                                                    const ModelSettings& settings) {
  std::vector<Correspondence> names = t5_layers(MetricXConfig(settings).network);
  const std::string embedding = t5_embedding(tensors);
  names.push_back({"source_embedding.weight", embedding});
  std::map<std::string, WeightSource> weights = ours_from(names, tensors);
  weights["start_embedding.weight"] = rows_of(tensors(embedding), 0, 1);
  weights["score.weight"] = score_row(config, tensors);
  ignore_unused_of_t5(tensors);
  tensors.check_all_asked_for();
  return weights;
}

}  // namespace

bool is_metricx_model(const std::string& path) {
  if (!is_file((fs::path(path) / kMetricXConfig).string())) return false;
  try {
    return std::ranges::count(JsonFile::read(path, kMetricXConfig).texts("architectures"), kMetricXClass) > 0;
  } catch (const Error&) {  // reading it as another model of Hugging Face reports it
    return false;
  }
}

ForeignModel read_metricx_model(const std::string& path, const ForeignFiles& files) {
  if (files.source_vocabulary != files.target_vocabulary)
    throw UsageError("'{}' has one tokenizer; name it with `vocab`", path);
  try {
    const JsonFile config = JsonFile::read(path, kMetricXConfig);
    ForeignTensors tensors(open_weight_folder(path));
    const ModelSettings settings = metricx_settings(path, config, tensors);
    const auto weights = metricx_weights(config, tensors, settings);
    const auto rows = static_cast<int>(integer_setting(settings, "source_vocabulary", 1, 1 << 24));
    const Vocabulary vocabulary = mt5_vocabulary(path, files, config, rows);
    return {.tensors = tensors,
            .settings = settings,
            .decoding = {},
            .vocabularies = {vocabulary, vocabulary},
            .weights = weights_from(weights, settings, path)};
  } catch (const UsageError& error) {  // a setting that does not fit concerns the file
    throw Error("'{}': {}", path, error.what());
  }
}

std::vector<std::string> tokenizer_files_of_metricx(const std::string& path) {
  const std::string folder = tokenizer_folder(path, {});
  return folder.empty() ? std::vector<std::string>() : entries_of(folder);
}

std::string model_with_tokenizer_of_metricx(const std::string& path) {
  return tokenizer_folder(path, {}).empty() ? kModelsWithTokenizer.front() : "";
}

}  // namespace nmt
