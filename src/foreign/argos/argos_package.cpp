#include "foreign/argos/argos_package.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/io/folder.h"
#include "foreign/containers/json_file.h"
#include "foreign/containers/package.h"
#include "foreign/ctranslate2/ctranslate2_model.h"

namespace nmt {
namespace {

constexpr const char *kArgosMetadata = "metadata.json", *kArgosModel = "model",
                     *kArgosPieces = "sentencepiece.model", *kArgosCodes = "bpe.model";

bool is_archive(const std::string& path) {
  return (path.ends_with(".argosmodel") || path.ends_with(".zip")) && is_file(path);
}

/// Whether these are the files of a package, perhaps incomplete.
bool are_of_argos(const Package& package) {
  if (!package.has(kArgosMetadata)) return false;
  return package.has(std::string(kArgosModel) + "/model.bin") ||
         package.map(kArgosMetadata).text().find("\"argos_version\"") != std::string_view::npos;
}

/// Returns the folder at the top of an archive that has metadata.json; empty if there is none.
std::string top_folder(const Package& archive) {
  const std::string end = std::string("/") + kArgosMetadata;
  for (const std::string& name : archive.names()) {
    if (name.ends_with(end) && name.find('/') == name.size() - end.size())
      return name.substr(0, name.size() - end.size());
  }
  return "";
}

/// Opens the folder of a package, which in an archive is usually the only folder at its top.
std::unique_ptr<const Package> open_package(const std::string& path) {
  std::unique_ptr<const Package> package = Package::open(path);
  if (package->has(kArgosMetadata) || !is_archive(path)) return package;
  const std::string folder = top_folder(*package);
  if (folder.empty()) return package;
  return package->within(folder);
}

class Metadata {
 public:
  explicit Metadata(const Package& package) : file_(JsonFile::read(package, kArgosMetadata)) {
    if (!package.has(kArgosMetadata))
      throw Error("'{}' has no {}, which all packages of Argos Translate have", package.path(),
                  kArgosMetadata);
  }

  /// Throws Error for packages that do not translate, such as those that find the ends of sentences.
  void check_translates() const {
    const std::string type = file_.text("type", "translate");
    if (type != "translate")
      file_.refuse("type", "not \"translate\"; nmt opens only packages that translate");
  }
  Languages languages() const { return {code("from_code"), code("to_code")}; }
  std::optional<FirstToken> first_token() const {
    const std::string token = file_.text("target_prefix", "");
    if (token.empty()) return std::nullopt;
    return FirstToken{.name = file_.name(), .token = token, .language = code("to_code")};
  }

 private:
  std::string code(const char* key) const {
    const std::string code = file_.text(key, "");
    if (code.empty()) file_.refuse(key, "missing; the file is not complete");
    return code;
  }

  JsonFile file_;
};

/// Returns BPE as Argos Translate applies it, by the defaults of sacremoses.
TokenPieces bpe_of(const Package& package, const std::string& language) {
  return {.name = package.shown(kArgosCodes),
          .bytes = package.map(kArgosCodes).copy(),
          .moses = MosesFacts{.language = language, .normalizes_marks = false, .hyphens = false}};
}

CallersText text_of(const Package& package, const Metadata& metadata) {
  if (package.has(kArgosPieces)) {
    const TokenPieces both = {.name = package.shown(kArgosPieces), .bytes = package.map(kArgosPieces).copy()};
    return {.source = both, .target = both, .first = metadata.first_token()};
  }
  if (!package.has(kArgosCodes)) {
    throw Error(
        "'{}' has neither {} nor {}, without which text cannot be divided into pieces; copy all files",
        package.path(), kArgosPieces, kArgosCodes);
  }
  const auto [source, target] = metadata.languages();
  return {
      .source = bpe_of(package, source), .target = bpe_of(package, target), .first = metadata.first_token()};
}

/// Adds the search settings of Argos Translate, which differ from CTranslate2's.
void add_decoding(const std::optional<FirstToken>& first, DecodingSettings& decoding) {
  decoding["beam"] = "4";
  decoding["length_penalty"] = "0.2";
  decoding["replace_unknown"] = "true";
  if (first) decoding["target_language"] = first->language;
}

}  // namespace

bool is_argos_package(const std::string& path) {
  if (path.ends_with(".argosmodel") && is_archive(path)) return true;
  std::error_code ignored;
  if (!is_archive(path) && !std::filesystem::is_directory(path, ignored)) return false;
  return are_of_argos(*open_package(path));
}

ForeignModel read_argos_package(const std::string& path) {
  const std::unique_ptr<const Package> package = open_package(path);
  const Metadata metadata(*package);
  metadata.check_translates();
  ForeignModel model = read_ctranslate2_model(
      *package->within(kArgosModel),
      [&](const Package&, const CTranslate2Config&) { return text_of(*package, metadata); });
  add_decoding(metadata.first_token(), model.decoding);
  return model;
}

std::vector<std::string> files_of_argos_package(const std::string& path) {
  return entries_of((std::filesystem::path(path) / kArgosModel).string());
}

Languages languages_of_argos_package(const std::string& path) {
  return Metadata(*open_package(path)).languages();
}

}  // namespace nmt
