#include "foreign/marian/marian_model.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "foreign/containers/marian_binary.h"
#include "foreign/containers/marian_config.h"
#include "foreign/containers/numpy/npz.h"
#include "foreign/containers/package.h"
#include "foreign/marian/marian_package.h"
#include "foreign/marian/marian_settings.h"
#include "foreign/marian/marian_vocabulary.h"
#include "foreign/marian/marian_weights.h"
#include "nn/registry.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const TensorFile> open_weights(MarianPackage& package) {
  if (package.model.ends_with(".bin")) return marian_binary_in(std::move(package.weights), package.model);
  return npz_in(std::move(package.weights), package.model);
}

/// How Marian searches with this model, by the settings that came with it, or else by its usual ones.
DecodingSettings decoding_of(const std::optional<MarianYaml>& decoder) {
  const auto value = [&](const char* key, const char* usual) {
    return decoder ? decoder->text(key, usual) : std::string(usual);
  };
  return {{"beam_rules", "marian"},
          {"beam", value("beam-size", "12")},
          {"length_normalization", "power"},
          {"length_penalty", value("normalize", "0")},
          {"word_penalty", value("word-penalty", "0")},
          {"max_length_factor", value("max-length-factor", "3")},
          {"max_length_extra", value("max-length-factor", "3")},  // EOS counts as a token of the source
          {"unk", value("allow-unk", "false")}};
}

/// Whether a file of settings is one of decoding, or of scoring.
bool names_models(const std::string& path) {
  std::ifstream file(path);
  bool has_model = false, has_vocabularies = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("models:")) return true;
    has_model |= line.starts_with("model:");
    has_vocabularies |= line.starts_with("vocabs:");
  }
  return has_model && has_vocabularies;
}

}  // namespace

bool is_marian_model(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return fs::is_regular_file(fs::path(path) / "decoder.yml", ignored);
  if (!fs::is_regular_file(path, ignored)) return false;
  if (path.ends_with(".npz")) return true;
  if (path.ends_with(".yml")) return names_models(path);
  if (path.ends_with(".zip")) return Package::open(path)->has("decoder.yml");
  if (!path.ends_with(".bin")) return false;
  std::ifstream file(path, std::ios::binary);
  std::uint64_t version = 0;
  file.read(reinterpret_cast<char*>(&version), sizeof version);
  return version == 1 || version == 2;
}

ForeignModel read_marian_model(const std::string& path, const ForeignFiles& files) {
  MarianPackage package = open_marian_package(path, files);
  ForeignTensors tensors(open_weights(package));
  if (!tensors.has(kMarianConfig)) {
    throw Error("'{}' has no '{}', which tells what kind of model it is; it was not made by Marian",
                package.model, kMarianConfig);
  }
  const MarianYaml yaml(tensors.file().read_text(kMarianConfig), package.model);
  tensors.ignore(kMarianConfig);
  ModelSettings settings = marian_model_settings(yaml);
  add_settings_of_tensors(tensors, settings);
  settings = ModelRegistry::instance().complete(std::move(settings));
  const auto sources = marian_weights(tensors, settings);
  tensors.check_all_asked_for();
  const auto rows = [&](const char* side) { return std::stoi(settings.at(side)); };
  Vocabularies vocabularies =
      marian_vocabularies(package, rows("source_vocabulary"), rows("target_vocabulary"));
  return {.settings = settings,
          .decoding = decoding_of(package.decoder),
          .vocabularies = std::move(vocabularies),
          .weights = weights_from(sources, settings, package.model)};
}

}  // namespace nmt
