#include "foreign/eole/eole_model.h"

#include <filesystem>
#include <utility>

#include "common/error.h"
#include "foreign/containers/weight_folder.h"
#include "foreign/eole/eole_config.h"
#include "foreign/eole/eole_vocabulary.h"
#include "foreign/eole/eole_weights.h"
#include "nn/registry.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr const char *kEoleVocabulary = "vocab.json", *kEoleConfig = "config.json";

/// Returns eole's default search settings, as far as searches here support them.
DecodingSettings usual_eole_decoding() {
  return {{"beam", "5"},           {"beam_rules", "eole"},     {"length_normalization", "eole"},
          {"length_penalty", "1"}, {"max_length_factor", "2"}, {"max_length_extra", "5"}};
}

}  // namespace

bool is_eole_model(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(path) / kEoleVocabulary, ignored) &&
         fs::is_regular_file(fs::path(path) / "model.00.safetensors", ignored);
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
  const auto sources = eole_weights(tensors, settings);
  tensors.check_all_asked_for();
  return {.settings = settings,
          .decoding = usual_eole_decoding(),
          .vocabularies = vocabularies_of(vocabulary.lists, vocabulary.names, settings),
          .weights = weights_from(sources, settings, folder)};
}

}  // namespace nmt
