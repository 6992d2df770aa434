#include "foreign/open.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "common/damaged_file.h"
#include "common/io/byte_source.h"
#include "common/io/folder.h"
#include "common/text/spelling.h"
#include "foreign/argos/argos_package.h"
#include "foreign/comet/comet_checkpoint.h"
#include "foreign/ctranslate2/ctranslate2_model.h"
#include "foreign/eole/eole_model.h"
#include "foreign/fairseq/fairseq_model.h"
#include "foreign/foreign_model.h"
#include "foreign/huggingface/huggingface_model.h"
#include "foreign/huggingface/metricx.h"
#include "foreign/marian/marian_model.h"
#include "foreign/marian/marian_package.h"
#include "foreign/marian/marian_shortlist.h"
#include "hub/hub_cache.h"

namespace nmt {
namespace {

struct ToolkitReader {
  const char* name;
  /// Whether a model of this toolkit is at a path, by file names and first bytes.
  bool (*recognizes)(const std::string& path);
  ForeignModel (*read)(const std::string& path, const ForeignFiles& files);
  /// Returns files outside of its folder that it reads; null: none.
  std::vector<std::string> (*files_elsewhere)(const std::string& path) = nullptr;
  /// Returns the name of another model on the Hugging Face Hub whose tokenizer it lacks; null: it lacks none.
  std::string (*model_with_tokenizer)(const std::string& path) = nullptr;
};

/// Reads a folder or archive that contains all of a model, so that errors concern its files rather than the
/// command line.
template <ForeignModel (*Read)(const std::string& folder)>
ForeignModel read_folder(const std::string& path, const ForeignFiles& files) {
  if (files.source_vocabulary || files.target_vocabulary) {
    throw UsageError(
        "'{}' has its vocabularies next to it; leave out `source_vocab`, `target_vocab` and `vocab`", path);
  }
  try {
    return Read(path);
  } catch (const UsageError& error) {
    throw Error("'{}': {}", path, error.what());
  }
}

constexpr std::array kToolkits = {
    ToolkitReader{"Marian", is_marian_model, read_marian_model, files_of_marian_model},
    ToolkitReader{"Argos Translate", is_argos_package, read_folder<read_argos_package>,
                  files_of_argos_package},
    ToolkitReader{"CTranslate2", is_ctranslate2_model, read_folder<read_ctranslate2_model>},
    // Before Hugging Face, since a checkpoint may have config.json of its encoder.
    ToolkitReader{"COMET", is_comet_checkpoint, read_comet_checkpoint, files_of_comet_checkpoint,
                  model_with_tokenizer_of_comet},
    // Before Hugging Face, since it is an mT5 of another class.
    ToolkitReader{"MetricX", is_metricx_model, read_metricx_model, tokenizer_files_of_metricx,
                  model_with_tokenizer_of_metricx},
    ToolkitReader{"Hugging Face", is_huggingface_model, read_folder<read_huggingface_model>},
    ToolkitReader{"eole", is_eole_model, read_folder<read_eole_model>},
    ToolkitReader{"fairseq", is_fairseq_model, read_folder<read_fairseq_model>, files_of_fairseq_model},
};

const ToolkitReader* toolkit_at(const std::string& path) {
  const auto found =
      std::ranges::find_if(kToolkits, [&](const ToolkitReader& toolkit) { return toolkit.recognizes(path); });
  return found == kToolkits.end() ? nullptr : &*found;
}

}  // namespace

std::string toolkit_of(const std::string& path) {
  const ToolkitReader* toolkit = toolkit_at(path);
  return toolkit == nullptr ? "" : toolkit->name;
}

std::string model_with_tokenizer_of(const std::string& path) {
  const ToolkitReader* toolkit = toolkit_at(path);
  const bool may_lack_one = toolkit != nullptr && toolkit->model_with_tokenizer != nullptr;
  return may_lack_one ? toolkit->model_with_tokenizer(path) : "";
}

Languages languages_of_model(const std::string& path) {
  return is_argos_package(path) ? languages_of_argos_package(path) : languages_of_huggingface_model(path);
}

std::string parts_of_model(const std::string& folder) {
  const std::vector<std::string> files = entries_of(folder);
  const auto has = [&files](std::string_view start, std::string_view ending) {
    return std::ranges::any_of(files, [&](const std::string& path) {
      const std::string name = without_packing(path.substr(path.rfind('/') + 1));
      return name.starts_with(start) && name.ends_with(ending);
    });
  };
  std::vector<std::string> parts;
  if (has("lex.", ".bin")) parts.emplace_back("a shortlist");
  if (has("", ".spm")) parts.emplace_back("vocabularies");
  return join(parts, " and ");
}

namespace {

// A base may itself be made of updates and a base.
constexpr int kMostBases = 8;

/// Returns where the base of the updates in the file `updates` is: where it was, or else next to that file;
/// empty if it is missing.
std::string place_of_base(const LowRankBase& base, const std::string& updates) {
  namespace fs = std::filesystem;
  std::error_code ignored;  // opening reports it
  if (fs::exists(base.path, ignored)) return base.path;
  std::string beside = (fs::path(updates).parent_path() / fs::path(base.path).filename()).string();
  if (!fs::exists(beside, ignored)) return "";
  // A checkpoint of the updates may have the same name as the checkpoint that is their base.
  const std::optional<LowRankBase> of_beside = peek_at_base(beside);
  return of_beside && of_beside->checksum == base.checksum ? "" : beside;
}

std::vector<std::string> files_of_toolkit(const ToolkitReader& toolkit, const std::string& path) {
  std::vector<std::string> files;
  try {
    files = entries_of(path);
    if (toolkit.files_elsewhere != nullptr)
      std::ranges::move(toolkit.files_elsewhere(path), std::back_inserter(files));
  } catch (const Error&) {  // opening the model reports it
  }
  return files;
}

}  // namespace

std::vector<std::string> files_of_model(const std::string& path) {
  std::vector<std::string> files;
  std::string of = path;  // the model, then its base, and so on
  for (int bases = 0; bases <= kMostBases; ++bases) {
    if (const ToolkitReader* toolkit = toolkit_at(of); toolkit != nullptr) {
      std::ranges::move(files_of_toolkit(*toolkit, of), std::back_inserter(files));
      return files;
    }
    const std::optional<LowRankBase> base = peek_at_base(of);
    if (base) of = place_of_base(*base, of);
    if (!base || of.empty()) return files;
    files.push_back(of);
  }
  return files;
}

namespace {

ModelFile open_model_file(const std::string& path, const ForeignFiles& files, int bases);

ModelFile open_base(const LowRankBase& base, const std::string& updates, int bases) {
  if (bases > kMostBases)
    throw Error("'{}': more than {} models are based on each other", updates, kMostBases);
  const std::string place = place_of_base(base, updates);
  if (place.empty()) {
    throw Error(
        "'{}' contains only the updates of a model that is missing: '{}'; put it there, or next to the "
        "updates",
        updates, base.path);
  }
  ModelFile file = open_model_file(place, {}, bases);
  check_base(base, file, updates);
  return file;
}

ModelFile open_model_file(const std::string& path, const ForeignFiles& files, int bases) {
  const ToolkitReader* toolkit = toolkit_at(path);
  if (toolkit != nullptr) return model_with(toolkit->read(path, files), path);
  if (files.source_vocabulary || files.target_vocabulary)
    throw UsageError("'{}' has its vocabularies inside; leave out `source_vocab`, `target_vocab` and `vocab`",
                     path);
  ModelFile file(path);
  const std::optional<LowRankBase> base = low_rank_base(file);
  return base ? merged_model(std::move(file), open_base(*base, path, bases + 1)) : std::move(file);
}

}  // namespace

ModelFile open_model_file(const std::string& path, const ForeignFiles& files) {
  try {
    return open_model_file(path, files, 0);
  } catch (const DamagedFile& error) {
    const std::string downloaded = repository_folder(path);
    if (downloaded.empty()) throw;
    throw DamagedFile("{}; to download the model again, remove '{}'", error.what(), downloaded);
  }
}

std::set<std::string> types_in_files_of(const std::string& path) {
  std::set<std::string> types;
  const ForeignModel model = toolkit_at(path)->read(path, {});
  for (const auto& [name, entry] : model.tensors.file().entries()) {
    if (entry.shape.size() < 2) continue;
    if (entry.is_quantized) types.insert(entry.type == ElementType::i8 ? "int8" : "int16");
    if (is_real(entry.type) && entry.shape[0] > 1) types.insert(name_of(entry.type));
  }
  return types;
}

ModelFile open_base(const LowRankBase& base, const std::string& updates) {
  return open_base(base, updates, 0);
}

Shortlist open_shortlist(const std::string& path, const Vocabularies& vocabularies, const JobContext& job) {
  if (!is_binary_marian_shortlist(path)) return read_shortlist(path, vocabularies, job);
  return read_marian_shortlist(path, vocabularies, {}).shortlist;
}

}  // namespace nmt
