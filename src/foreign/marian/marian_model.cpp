#include "foreign/marian/marian_model.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/io/byte_source.h"
#include "foreign/containers/marian_binary.h"
#include "foreign/containers/marian_config.h"
#include "foreign/containers/numpy/npz.h"
#include "foreign/marian/marian_package.h"
#include "foreign/marian/marian_settings.h"
#include "foreign/marian/marian_vocabulary.h"
#include "foreign/marian/marian_weights.h"
#include "nn/registry.h"

namespace nmt {
namespace {

std::shared_ptr<const TensorFile> open_weights(MarianPackage& package) {
  auto& [name, bytes] = package.weights;
  if (without_packing(name).ends_with(".bin")) return marian_binary_in(std::move(bytes), name);
  return npz_in(std::move(bytes), name);
}

bool is_quantized(const TensorFile& file) {
  return std::ranges::any_of(file.entries(), [](const auto& entry) { return entry.second.is_quantized; });
}

/// Returns Marian's search settings for a model, by its configuration and Marian's defaults.
DecodingSettings decoding_of(const MarianYaml& config) {
  const std::string factor = config.text("max-length-factor", "3");
  return {{"beam_rules", "marian"},
          {"beam", config.text("beam-size", "12")},
          {"length_normalization", "power"},
          {"length_penalty", config.text("normalize", "0")},
          {"word_penalty", config.text("word-penalty", "0")},
          {"max_length_factor", factor},
          {"max_length_extra", factor},  // EOS counts as a source token
          {"unk", config.text("allow-unk", "false")}};
}

/// Returns the search settings of a model without a configuration: Marian's defaults, or for an 8-bit student
/// model those of Firefox.
MarianYaml usual_config(const TensorFile& file) {
  if (!is_quantized(file)) return {"{}", file.path()};
  return {"{beam-size: 1, normalize: 1.0, word-penalty: 0, max-length-factor: 2.0}", file.path()};
}

/// The most tokens of a sentence, EOS not counted, that a model is known to translate well: those that the
/// configuration of decoding takes (or divides texts into, max-length-break), or that training took. Marian's
/// max-length counts EOS.
std::optional<std::int64_t> trained_length(const MarianPackage& package) {
  std::optional<std::int64_t> least;
  const auto take = [&least](const std::optional<MarianYaml>& config, const char* key,
                             std::int64_t uncounted) {
    const std::int64_t most = config ? config->integer(key) - uncounted : 0;
    if (most > 0) least = std::min(most, least.value_or(most));
  };
  take(package.config, "max-length-break", 0);
  take(package.config, "max-length", 1);
  take(package.training, "max-length", 1);
  return least;
}

/// Ignores the file's multipliers by which the browser's Marian quantizes activations. Here activations are
/// quantized row by row, or not at all.
void ignore_activation_multipliers(ForeignTensors& tensors) {
  for (const auto& [name, entry] : tensors.file().entries()) {
    if (name.ends_with("_QuantMultA")) tensors.ignore(name);
  }
}

std::optional<Shortlist> shortlist_of(const MarianPackage& package, const Vocabularies& vocabularies) {
  if (!package.shortlist) return std::nullopt;
  const auto& [name, bytes] = *package.shortlist;
  MarianShortlist found = marian_shortlist_in(bytes.text(), name, vocabularies, package.shortlist_limits);
  bytes.check_unchanged();
  return std::move(found.shortlist);
}

}  // namespace

ForeignModel read_marian_model(const std::string& path, const ForeignFiles& files) {
  MarianPackage package = open_marian_package(path, files);
  ForeignTensors tensors(open_weights(package));
  if (!tensors.has(kMarianConfig)) {
    throw Error("'{}' has no '{}', which describes the model; it was not made by Marian",
                package.weights.name, kMarianConfig);
  }
  const MarianYaml yaml(tensors.file().read_text(kMarianConfig), package.weights.name);
  tensors.ignore(kMarianConfig);
  ignore_activation_multipliers(tensors);
  ModelSettings settings = marian_model_settings(yaml);
  add_settings_of_tensors(tensors, settings);
  settings = ModelRegistry::instance().complete(std::move(settings));
  const auto sources = marian_weights(tensors, settings);
  tensors.check_all_asked_for();
  const auto rows = [&](const char* side) { return std::stoi(settings.at(side)); };
  Vocabularies vocabularies =
      marian_vocabularies(package, rows("source_vocabulary"), rows("target_vocabulary"));
  std::optional<Shortlist> shortlist = shortlist_of(package, vocabularies);
  return {.tensors = tensors,
          .settings = settings,
          .decoding = decoding_of(package.config ? *package.config : usual_config(tensors.file())),
          .vocabularies = std::move(vocabularies),
          .weights = weights_from(sources, settings, package.weights.name),
          .shortlist = std::move(shortlist),
          .trained_length = trained_length(package)};
}

}  // namespace nmt
