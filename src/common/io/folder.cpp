#include "common/io/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "common/file_descriptor.h"

namespace nmt {

std::vector<std::string> entries_of(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  // A range-based loop would throw the errors that increment() returns.
  for (std::filesystem::directory_iterator entry(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    paths.push_back(entry->path().string());
  }
  return paths;
}

std::string parent_folder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void sync_folder(const std::string& folder) {
  const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) ::fsync(opened.get());
}

}  // namespace nmt
