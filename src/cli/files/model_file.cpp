#include "cli/files/model_file.h"

#include <filesystem>

#include "common/log/log.h"

namespace nmt {

void add_models_option(Options& options, std::vector<std::string>& target) {
  options
      .add("model,m", target, "FILE",
           "model file, or a run directory, whose best or else last model is taken; several with the same "
           "vocabularies work together as an ensemble")
      .required();
}

std::string chosen_model(const std::string& path) {
  std::string file = model_file(path);
  if (file != path) log_info("'{}': the model is {}", path, std::filesystem::path(file).filename().string());
  return file;
}

Models open_models(const std::vector<std::string>& files, const DeviceSettings& device, OutputRows output) {
  Models models(files, device, output);
  log_verbose("computing on {}", models.device().description());
  return models;
}

std::string name_of_model(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  if (whole == ".") return std::filesystem::current_path().filename().string();
  return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

}  // namespace nmt
