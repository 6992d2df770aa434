#include "cli/options/overwriting.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "common/error.h"
#include "foreign/open.h"
#include "train/run/run_directory.h"

namespace nmt {
namespace {

using Identity = std::pair<dev_t, ino_t>;

/// Returns the identity of a file; `stream` is the descriptor for "-". None for what cannot be destroyed.
std::optional<Identity> identity(const std::string& path, int stream) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(stream, &status) : ::stat(path.c_str(), &status);
  if (result != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return std::nullopt;
  return Identity(status.st_dev, status.st_ino);
}

/// Returns the files that are read for this path: those of a foreign model, or those of a run.
std::vector<std::string> files_behind(const std::string& path) {
  std::vector<std::string> files = files_of_model(path);
  return files.empty() ? RunDirectory::files(path) : files;
}

std::string displayed(const std::string& path, const char* stream) {
  return path == "-" ? stream : "'" + path + "'";
}

}  // namespace

void refuse_overwriting(const NamedFile& output, const std::vector<NamedFile>& inputs) {
  const std::optional<Identity> written = identity(output.path, STDOUT_FILENO);
  if (!written) return;
  const auto check = [&](const NamedFile& input) {
    if (identity(input.path, STDIN_FILENO) != written) return;
    throw UsageError("{}: {} is the same file as {} of {}, which would be lost; write to another",
                     output.name, displayed(output.path, "standard output"),
                     displayed(input.path, "standard input"), input.name);
  };
  for (const NamedFile& input : inputs) {
    check(input);
    for (const std::string& file : files_behind(input.path)) check({input.name, file});
  }
}

}  // namespace nmt
