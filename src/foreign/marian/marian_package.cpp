#include "foreign/marian/marian_package.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/io/byte_source.h"
#include "common/io/folder.h"
#include "common/io/spool.h"
#include "common/text/lines.h"
#include "common/text/number.h"
#include "data/text/white_space.h"
#include "foreign/containers/marian_config.h"
#include "foreign/containers/package.h"
#include "foreign/containers/zip_archive.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

/// Names of configurations in packages of OPUS-MT and translateLocally.
constexpr std::array kUsualConfigs = {"decoder.yml", "config.intgemm8bitalpha.yml"};

/// Decoder settings that change translations and that nmt does not support.
constexpr std::array kForeignDecoding = {
    std::pair{"output-sampling", "translations that are drawn at random"},
    std::pair{"output-approx-knn", "an approximate output layer"},
    std::pair{"force-decode", "prefixes that come with the text"},
    std::pair{"no-spm-encode", "text that comes in pieces"},
    std::pair{"no-spm-decode", "translations in pieces"},
    std::pair{"input-reorder", "reordered inputs"},
};

std::string file_name(const std::string& path) {
  return fs::path(path).filename().string();
}

bool may_be_weights(const std::string& path) {
  const std::string name = without_packing(path);
  const bool is_state = name.ends_with(".optimizer.npz");
  return !is_state && (name.ends_with(".npz") || name.ends_with(".bin"));
}

bool may_be_config(const std::string& path) {
  const std::string name = without_packing(path);
  return name.ends_with(".yml") || name.ends_with(".yaml");
}

/// Returns the name that a file has in a package, where it may be compressed; empty: it is not there.
std::string name_in(const Package& package, const std::string& name) {
  for (const char* packing : {"", ".gz"}) {
    if (package.has(name + packing)) return name + packing;
  }
  return "";
}

/// Whether a file has Marian's weights, by the first bytes of a .bin, otherwise or if it cannot be read by
/// its name.
bool are_weights(const std::string& path) {
  if (!may_be_weights(path) || !is_file(path)) return false;
  if (without_packing(path).ends_with(".npz")) return true;
  std::array<char, sizeof(std::uint64_t)> begin = {};
  std::size_t read = 0;
  try {
    const auto source = open_bytes(path);
    while (read < begin.size()) {
      const std::size_t more = source->read(begin.data() + read, begin.size() - read);
      if (more == 0) break;
      read += more;
    }
  } catch (const Error&) {  // damaged, or a pointer of Git LFS, which opening the file reports
    return file_name(path).starts_with("model");
  }
  std::uint64_t version = 0;
  std::memcpy(&version, begin.data(), sizeof version);
  return read == begin.size() && (version == 1 || version == 2);
}

/// Whether a file in a folder has Marian's weights; there, an .npz may contain anything.
bool are_weights_in_folder(const std::string& path) {
  if (!are_weights(path)) return false;
  try {
    return !path.ends_with(".npz") || ZipArchive(path).contains(std::string(kMarianConfig) + ".npy");
  } catch (const Error&) {
    if (file_name(path).starts_with("model")) throw;
    return false;  // it need not be of the model
  }
}

/// Returns the plain keys at the top level of a file's YAML text with the rest of their lines, as far as the
/// beginning of the text contains them.
std::map<std::string, std::string, std::less<>> keys_in(std::string_view text) {
  std::map<std::string, std::string, std::less<>> keys;
  text = text.substr(0, kLongestConfig);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const std::size_t colon = line.find(':');
    const bool has_key = colon != std::string_view::npos && line.find_first_of(" \t#-{[\"") > colon;
    if (has_key) keys.emplace(line.substr(0, colon), line.substr(colon + 1));
  }
  return keys;
}

/// Whether a configuration is for decoding, or if `may_score`, for scoring, whose keys also occur in
/// training. In a vocabulary, "models" may be a word with a number.
bool names_models(std::string_view text, bool may_score) {
  const auto keys = keys_in(text);
  const auto models = keys.find("models");
  const bool has_models =
      models != keys.end() && models->second.find_first_not_of(" \t\r0123456789") != std::string::npos;
  const bool has_list =
      models != keys.end() && models->second.find_first_not_of(" \t\r") == std::string::npos;
  return has_models || has_list || (may_score && keys.contains("model") && keys.contains("vocabs"));
}

MarianYaml yaml_in(const NamedBytes& file) {
  return {file.bytes.copy(), file.name};
}

/// Finds the files that a configuration names: by their paths, or if the model has moved, by name beside the
/// configuration or in its parent folder. A file may be compressed.
class Finder {
 public:
  Finder(const Package& package, bool is_relative) : package_(package), is_relative_(is_relative) {}

  std::optional<NamedBytes> find(const std::string& named) const {
    if (!is_relative_ && is_file(named)) return NamedBytes{named, map_unpacked(named)};
    const std::string alone = file_name(named);
    for (const std::string& path : {named, alone, "../" + alone}) {
      if (const std::string name = name_in(package_, path); !name.empty())
        return NamedBytes{package_.shown(name), package_.map(name)};
    }
    return std::nullopt;
  }

 private:
  const Package& package_;
  bool is_relative_;
};

/// Returns the key with which a configuration names its model; marian-scorer has a different one, as it has
/// one model.
const char* model_key(const MarianYaml& config) {
  return config.list("models").empty() && !config.list("model").empty() ? "model" : "models";
}

/// Returns the single model that a configuration names.
std::string model_named_in(const MarianYaml& config) {
  const std::vector<std::string> named = config.list(model_key(config));
  if (named.size() == 1) return named[0];
  throw Error("'{}' names {} models, not 1; name the .npz or .bin file of one model and its vocabularies",
              config.name(), named.size());
}

/// Finds the files of a model.
class FileSearch {
 public:
  FileSearch(const Package& package, const ForeignFiles& files) : package_(package), files_(files) {}

  /// Returns the files for the weights of this name; empty: those of the configuration, or else of the
  /// package.
  MarianPackage run(const std::string& weights, const std::string& config) {
    if (!config.empty()) found_.config = yaml_in(mapped(config));
    refuse_foreign_decoding();
    find_weights(weights);
    found_.source_vocabulary = vocabulary("source", files_.source_vocabulary, 0);
    found_.target_vocabulary = vocabulary("target", files_.target_vocabulary, 1);
    found_.source_pieces = mapped_if_there("source.spm");
    found_.target_pieces = mapped_if_there("target.spm");
    if (!found_.source_pieces && !found_.target_pieces) found_.bpe = opus_bpe_in(package_);
    found_.normalizes = package_.has("preprocess.sh");
    if (const auto training = mapped_if_there(without_packing(file_name(found_.weights.name)) + ".yml"))
      found_.training = yaml_in(*training);
    if (files_.with_shortlist) find_shortlist();
    return std::move(found_);
  }

 private:
  const std::optional<MarianYaml>& config() const { return found_.config; }
  Finder finder() const { return {package_, config()->flag("relative-paths")}; }
  NamedBytes mapped(const std::string& name) const { return {package_.shown(name), package_.map(name)}; }
  std::optional<NamedBytes> mapped_if_there(const std::string& name) const {
    const std::string found = name_in(package_, name);
    if (found.empty()) return std::nullopt;
    return mapped(found);
  }

  void refuse_foreign_decoding() const {
    if (!config()) return;
    for (const auto& [key, what] : kForeignDecoding) {
      const std::string value = config()->text(key, "false");
      if (value == "false" || value == "0") continue;
      throw Error("'{}' asks for {} ({}: {}), which nmt does not support; remove it from the file",
                  config()->name(), what, key, value);
    }
  }

  void find_weights(const std::string& weights) {
    if (!weights.empty()) {
      found_.weights = mapped(weights);
      return;
    }
    const std::string named = model_named_in(*config());
    std::optional<NamedBytes> file = finder().find(named);
    if (!file) {
      throw Error("'{}' names the model '{}', which does not exist; put it into the same folder",
                  config()->name(), named);
    }
    found_.weights = std::move(*file);
  }

  NamedBytes vocabulary(const char* side, const std::optional<std::string>& given, std::size_t number) const {
    if (given) return {*given, map_unpacked(*given)};
    if (config() && !config()->list("vocabs").empty()) return vocabulary_in_config(side, number);
    const std::string own = number == 0 ? "srcvocab" : "trgvocab";
    for (const std::string& start : {own, std::string("vocab")}) {
      if (const std::string name = beside_weights(start, ".spm"); !name.empty()) return mapped(name);
    }
    throw Error(
        "'{}' comes without its vocabularies: name them with `vocab`, or `source_vocab` and `target_vocab`",
        found_.weights.name);
  }

  NamedBytes vocabulary_in_config(const char* side, std::size_t number) const {
    const std::vector<std::string> named = config()->list("vocabs");
    if (named.size() > 2) {
      throw Error("'{}' names {} vocabs, not 2: those of the source and the target", config()->name(),
                  named.size());
    }
    const std::string& name = named[std::min(number, named.size() - 1)];
    if (std::optional<NamedBytes> file = finder().find(name)) return std::move(*file);
    throw Error("'{}' names the {} vocabulary '{}', which does not exist; name it with `{}_vocab`",
                config()->name(), side, name, side);
  }

  /// Returns the file whose name has this start, a dot, and this extension. If there are several, it is the
  /// one that shares with the weights what follows the first dot of their name: the languages, in Firefox's
  /// models.
  std::string beside_weights(const std::string& start, const std::string& ending) const {
    std::vector<std::string> found = package_.names();
    std::erase_if(found, [&](const std::string& name) {
      const std::string plain = without_packing(name);
      return !plain.starts_with(start + ".") || !plain.ends_with(ending);
    });
    const auto languages_of = [](const std::string& name) {
      const std::size_t begin = name.find('.') + 1;
      return name.substr(begin, name.find('.', begin) - begin);
    };
    const std::string languages = languages_of(file_name(found_.weights.name));
    const bool has_languages =
        std::ranges::any_of(found, [&](const std::string& name) { return languages_of(name) == languages; });
    if (has_languages)
      std::erase_if(found, [&](const std::string& name) { return languages_of(name) != languages; });
    std::erase_if(found, [&](const std::string& name) {  // it also exists decompressed
      const std::string plain = without_packing(name);
      return plain != name && std::ranges::find(found, plain) != found.end();
    });
    if (found.empty()) return "";
    if (found.size() == 1) return found[0];
    throw Error(
        "'{}' may belong to '{}' or to '{}'; name its vocabularies with `source_vocab` and `target_vocab`",
        found_.weights.name, found[0], found[1]);
  }

  /// Finds the shortlist of a configuration: [file, frequent, best, ...] for a lexical table, [file, false]
  /// for a binary one. Without a configuration, it is the one beside the weights.
  void find_shortlist() {
    if (!config()) {
      if (const std::string name = beside_weights("lex", ".s2t.bin"); !name.empty())
        found_.shortlist = mapped(name);
      return;
    }
    const std::vector<std::string> values = config()->list("shortlist");
    if (values.empty() || values[0].empty()) return;
    found_.shortlist = finder().find(values[0]);
    if (!found_.shortlist) {
      throw Error(
          "'{}' names the shortlist '{}', which does not exist; put it there, name another file with "
          "`shortlist`, or go without (`no_shortlist`)",
          config()->name(), values[0]);
    }
    const auto limit = [&](std::size_t at, std::size_t& target) {
      if (at < values.size()) target = number_of<std::size_t>(values[at]).value_or(target);
    };
    limit(1, found_.shortlist_limits.frequent);
    limit(2, found_.shortlist_limits.best);
  }

  const Package& package_;
  const ForeignFiles& files_;
  MarianPackage found_;
};

/// Returns the decoding configurations in a package.
std::vector<std::string> configs_in(const Package& package) {
  std::vector<std::string> configs = package.names();
  std::erase_if(configs, [&](const std::string& name) {
    return !may_be_config(name) || !names_models(package.map(name).copy(), false);
  });
  return configs;
}

/// Whether a file is by its name a decoding configuration, and no list of words.
bool is_usual_config(const std::string& path) {
  const std::string name = file_name(without_packing(path));
  return std::ranges::find(kUsualConfigs, name) != kUsualConfigs.end() || name.ends_with(".decoder.yml");
}

/// Throws Error if a configuration in a package is empty or cut off, as after an interrupted copy: without
/// it, the model would translate with other settings.
void refuse_damaged_configs(const Package& package) {
  for (const std::string& name : package.names()) {
    if (!may_be_config(name)) continue;
    const MemoryMap file = package.map(name);
    if (without_outer_space(file.text()).empty())
      throw Error("'{}' is empty; copy it again, or remove it", package.shown(name));
    if (is_usual_config(name)) MarianYaml(file.copy(), package.shown(name));
  }
}

/// Returns Marian's weights in a package; if a file exists both compressed and decompressed, the latter.
std::vector<std::string> weights_files_in(const Package& package) {
  std::vector<std::string> weights = package.names();
  std::erase_if(weights,
                [&](const std::string& name) { return !are_weights_in_folder(package.shown(name)); });
  std::erase_if(weights, [&](const std::string& name) {
    const std::string plain = without_packing(name);
    return plain != name && package.has(plain);
  });
  return weights;
}

/// Returns the only one of several names.
const std::string& only(const std::vector<std::string>& names, const std::string& path, const char* what) {
  if (names.size() == 1) return names[0];
  throw Error("'{}' has several {}, such as '{}' and '{}'; name one of them", path, what, names[0], names[1]);
}

/// Returns the configuration beside some weights that names them; empty: none.
std::string config_for(const Package& package, const std::string& weights) {
  const std::string own = without_packing(weights);
  if (const std::string usual = name_in(package, own + ".decoder.yml"); !usual.empty()) return usual;
  for (const std::string& config : configs_in(package)) {
    const MarianYaml yaml(package.map(config).copy(), package.shown(config));
    const std::vector<std::string> models = yaml.list("models");
    if (models.size() == 1 && without_packing(file_name(models[0])) == own) return config;
  }
  return "";
}

std::unique_ptr<const Package> folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return Package::open(folder.empty() ? "." : folder.string());
}

/// Returns the files of a configuration that may be in a folder of an archive.
MarianPackage run_beside(const Package& package, const ForeignFiles& files, const std::string& config) {
  const std::string folder = fs::path(config).parent_path().string();
  if (folder.empty()) return FileSearch(package, files).run("", config);
  const std::unique_ptr<const Package> inner = package.within(folder);
  return FileSearch(*inner, files).run("", file_name(config));
}

}  // namespace

bool is_marian_model(const std::string& path) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  if (!is_folder && !is_file(path)) return false;
  if (may_be_config(path)) return is_usual_config(path) || names_models(map_unpacked(path).copy(), true);
  if (!is_folder && !path.ends_with(".zip")) return are_weights(path);
  const std::unique_ptr<const Package> package = Package::open(path);
  return !configs_in(*package).empty() || (is_folder && !weights_files_in(*package).empty());
}

MarianPackage open_marian_package(const std::string& path, const ForeignFiles& files) {
  if (may_be_weights(path)) {
    const auto package = folder_of(path);
    refuse_damaged_configs(*package);
    const std::string weights = file_name(path);
    return FileSearch(*package, files).run(weights, config_for(*package, weights));
  }
  if (may_be_config(path)) {
    const auto package = folder_of(path);
    return FileSearch(*package, files).run("", file_name(path));
  }
  const auto package = Package::open(path);
  refuse_damaged_configs(*package);
  const std::vector<std::string> configs = configs_in(*package);
  for (const char* usual : kUsualConfigs) {
    const std::string name = name_in(*package, usual);
    if (std::ranges::find(configs, name) != configs.end()) return FileSearch(*package, files).run("", name);
  }
  if (!configs.empty()) return run_beside(*package, files, only(configs, path, "configurations"));
  return FileSearch(*package, files).run(only(weights_files_in(*package), path, "models"), "");
}

std::vector<std::string> files_of_marian_model(const std::string& path) {
  const bool is_alone = may_be_weights(path) || may_be_config(path);
  if (!is_alone && is_file(path)) return {};  // an archive that need not be unpacked
  const MarianPackage package = open_marian_package(path, {});
  std::vector<std::string> files = {package.weights.name, package.source_vocabulary.name,
                                    package.target_vocabulary.name};
  for (const auto* yaml : {&package.config, &package.training}) {
    if (*yaml) files.push_back((*yaml)->name());
  }
  for (const auto* optional : {&package.source_pieces, &package.target_pieces, &package.shortlist}) {
    if (*optional) files.push_back((*optional)->name);
  }
  return files;
}

}  // namespace nmt
