#include "common/io/folder.h"

#include <filesystem>

namespace nmt {

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  // A loop over a range would throw what increment() reports.
  for (std::filesystem::directory_iterator entry(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    paths.push_back(entry->path().string());
  }
  return paths;
}

}  // namespace nmt
