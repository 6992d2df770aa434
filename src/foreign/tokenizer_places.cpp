#include "foreign/tokenizer_places.h"

#include <algorithm>
#include <filesystem>

#include "common/io/folder.h"

namespace nmt {
namespace {

namespace fs = std::filesystem;

/// Returns the snapshots of a model in the cache of the Hugging Face Hub that a folder is in:
/// models--OWNER--NAME/snapshots/COMMIT.
std::vector<std::string> snapshots_beside(const fs::path& folder, const std::string& model) {
  std::string repository = "models--" + model;
  if (const std::size_t slash = repository.find('/'); slash != repository.npos)
    repository.replace(slash, 1, "--");
  const fs::path snapshots = folder / "../../.." / repository / "snapshots";
  std::error_code ignored;
  if (!fs::is_directory(snapshots, ignored)) return {};
  std::vector<std::string> commits = entries_of(snapshots.string());
  std::ranges::sort(commits);
  return commits;
}

std::vector<fs::path> places_of(const fs::path& folder, const std::string& model) {
  const fs::path named = model;
  std::vector<fs::path> places;
  for (const fs::path& beside : {folder, folder / ".."}) {
    places.push_back(beside / named.filename());
    places.push_back(beside / named);
  }
  places.push_back(named);
  for (const std::string& snapshot : snapshots_beside(folder, model)) places.emplace_back(snapshot);
  return places;
}

}  // namespace

std::string tokenizer_in(const std::string& folder, const std::vector<std::string>& files) {
  std::error_code ignored;
  for (const std::string& file : files) {
    const fs::path path = fs::path(folder) / file;
    if (fs::exists(path, ignored)) return path.string();
  }
  return "";
}

std::string find_tokenizer(const std::string& folder, const std::vector<std::string>& models,
                           const std::vector<std::string>& files) {
  const fs::path own = folder;
  std::vector<fs::path> places = {own, own / "tokenizer", own / "encoder"};
  for (const std::string& model : models)
    std::ranges::copy(places_of(own, model), std::back_inserter(places));
  for (const fs::path& place : places) {
    if (std::string found = tokenizer_in(place.string(), files); !found.empty()) return found;
  }
  return "";
}

}  // namespace nmt
