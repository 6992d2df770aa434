#include "cli/files/model_file.h"

#include <filesystem>

#include "cli/program.h"
#include "common/error.h"

namespace nmt {

std::string model_file(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at cannot be opened either, which says why
  if (!std::filesystem::is_directory(path, ignored)) return path;
  for (const char* name : {"best.safetensors", "last.safetensors"}) {
    std::string file = (std::filesystem::path(path) / name).string();
    if (!std::filesystem::exists(file, ignored)) continue;
    log_info("'{}': the model is {}", path, name);
    return file;
  }
  throw Error("'{}' is a directory without best.safetensors or last.safetensors; name a model or a run",
              path);
}

std::string name_of_model(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  if (whole == ".") return std::filesystem::current_path().filename().string();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace nmt
