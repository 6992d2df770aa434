#include "foreign/marian/marian_package.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "common/error.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDecoder = "decoder.yml";

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

MarianYaml yaml_in(const NamedBytes& file) {
  return {std::string(file.bytes.text()), file.name};
}

/// What a decoder.yml calls files, found in its package or, where it stands alone, in the file system.
class Finder {
 public:
  Finder(const Package& package, bool is_relative) : package_(package), is_relative_(is_relative) {}

  NamedBytes operator()(const std::string& named) const {
    if (!is_relative_ && is_file(named)) return {named, map_file(named)};
    const std::string own = is_relative_ ? named : fs::path(named).filename().string();
    return {package_.shown(own), package_.map(own)};
  }

 private:
  const Package& package_;
  bool is_relative_;
};

/// Where a decoder.yml names its model: a configuration of marian-scorer has one word for it, as it has one
/// model.
const char* model_key(const MarianYaml& decoder) {
  return decoder.list("models").empty() && !decoder.list("model").empty() ? "model" : "models";
}

/// The entries of a list of a decoder.yml, as many as `count`.
std::vector<std::string> named_in(const MarianYaml& decoder, const std::string& key, std::size_t count) {
  std::vector<std::string> named = decoder.list(key);
  if (named.size() == count) return named;
  throw Error("'{}' names {} {}, not {}; name the .npz or .bin file of one model and its vocabularies",
              decoder.name(), named.size(), key, count);
}

std::optional<NamedBytes> find_pieces(const Package& package, const char* name) {
  if (!package.has(name)) return std::nullopt;
  return NamedBytes{package.shown(name), package.map(name)};
}

/// All that a decoder.yml in a package names.
MarianPackage package_of(const Package& package, const std::string& decoder_name) {
  const NamedBytes file{package.shown(decoder_name), package.map(decoder_name)};
  MarianPackage found;
  found.decoder = yaml_in(file);
  const Finder find(package, found.decoder->flag("relative-paths"));
  NamedBytes model = find(named_in(*found.decoder, model_key(*found.decoder), 1)[0]);
  found.model = std::move(model.name);
  found.weights = std::move(model.bytes);
  const std::vector<std::string> vocabularies = named_in(*found.decoder, "vocabs", 2);
  found.source_vocabulary = find(vocabularies[0]);
  found.target_vocabulary = find(vocabularies[1]);
  found.source_pieces = find_pieces(package, "source.spm");
  found.target_pieces = find_pieces(package, "target.spm");
  if (!found.source_pieces && !found.target_pieces) found.bpe = opus_bpe_in(package);
  found.normalizes = package.has("preprocess.sh");
  return found;
}

/// A file of weights, with the .decoder.yml that training has written beside it.
MarianPackage package_around(const std::string& path, const ForeignFiles& files) {
  const std::string decoder = path + ".decoder.yml";
  MarianPackage found;
  if (is_file(decoder)) found.decoder = yaml_in({decoder, map_file(decoder)});
  found.model = path;
  found.weights = map_file(path);
  const auto vocabulary = [&](const std::optional<std::string>& named, const char* side, std::size_t number) {
    if (named) return NamedBytes{*named, map_file(*named)};
    if (!found.decoder) {
      throw Error(
          "'{}' comes without its vocabularies: name them by `vocab`, or `source_vocab` and "
          "`target_vocab`, of nmt convert",
          path);
    }
    const std::string name = named_in(*found.decoder, "vocabs", 2)[number];
    for (const fs::path& candidate :
         {fs::path(name), fs::path(path).parent_path() / fs::path(name).filename()}) {
      if (is_file(candidate.string())) return NamedBytes{candidate.string(), map_file(candidate.string())};
    }
    throw Error("'{}' names the {} vocabulary '{}', which is not there; name it by `{}_vocab` of nmt convert",
                decoder, side, name, side);
  };
  found.source_vocabulary = vocabulary(files.source_vocabulary, "source", 0);
  found.target_vocabulary = vocabulary(files.target_vocabulary, "target", 1);
  return found;
}

}  // namespace

MarianPackage open_marian_package(const std::string& path, const ForeignFiles& files) {
  if (path.ends_with(".npz") || path.ends_with(".bin")) return package_around(path, files);
  if (files.source_vocabulary || files.target_vocabulary)
    throw UsageError(
        "'{}' names its vocabularies itself; leave out `vocab`, `source_vocab` and `target_vocab`", path);
  if (!path.ends_with(".yml")) return package_of(*Package::open(path), kDecoder);
  const fs::path folder = fs::path(path).parent_path();
  return package_of(*Package::open(folder.empty() ? "." : folder.string()),
                    fs::path(path).filename().string());
}

std::vector<std::string> files_of_marian_model(const std::string& path) {
  const bool is_alone = path.ends_with(".npz") || path.ends_with(".bin") || path.ends_with(".yml");
  if (!is_alone && is_file(path)) return {};  // an archive, of which nothing needs to be unpacked
  const MarianPackage package = open_marian_package(path, {});
  std::vector<std::string> files = {package.model, package.source_vocabulary.name,
                                    package.target_vocabulary.name};
  if (package.decoder) files.push_back(package.decoder->name());
  for (const auto* pieces : {&package.source_pieces, &package.target_pieces}) {
    if (*pieces) files.push_back((*pieces)->name);
  }
  return files;
}

}  // namespace nmt
