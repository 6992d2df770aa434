#include "cli/files/overwriting.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "common/error.h"

namespace nmt {
namespace {

using Identity = std::pair<dev_t, ino_t>;

/// `stream` is what "-" stands for. None for what cannot be destroyed.
std::optional<Identity> identity(const std::string& path, int stream) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(stream, &status) : ::stat(path.c_str(), &status);
  if (result != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return Identity(status.st_dev, status.st_ino);
}

std::string displayed(const std::string& path, const char* stream) {
  return path == "-" ? stream : "'" + path + "'";
}

}  // namespace

void refuse_overwriting(const NamedFile& output, const std::vector<NamedFile>& inputs) {
  const std::optional<Identity> written = identity(output.path, STDOUT_FILENO);
  if (!written) return;
  for (const NamedFile& input : inputs) {
    if (identity(input.path, STDIN_FILENO) != written) continue;
    throw UsageError("{}: {} is the same file as {} of {}, which would be lost; write to another",
                     output.name, displayed(output.path, "standard output"),
                     displayed(input.path, "standard input"), input.name);
  }
}

}  // namespace nmt
