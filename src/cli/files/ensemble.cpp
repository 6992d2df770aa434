#include "cli/files/ensemble.h"

#include <algorithm>

#include "common/error.h"
#include "common/log/log.h"
#include "common/text/plural.h"

namespace nmt {

void add_models_option(Options& options, std::vector<std::string>& target) {
  options
      .add("model,m", target, "FILE",
           "model file, or a run directory, whose best or else last model is taken; several with the same "
           "vocabularies work together as an ensemble")
      .required();
}

void add_weights_option(Options& options, std::vector<double>& target) {
  options
      .add("weights", target, "W",
           "how much each model of an ensemble counts in the mean of log-probabilities, in the order of the "
           "models")
      .range(1e-6, 1e6)
      .default_text("all the same");
}

void check_weights(const Options& options, const std::vector<double>& weights, std::size_t models) {
  if (weights.empty() || weights.size() == models) return;
  throw UsageError("{}: {} for {}; give one for each", options.origin("weights"),
                   count_of(std::ssize(weights), "weight"),
                   count_of(static_cast<std::int64_t>(models), "model"));
}

OpenModels open_models(const std::vector<std::string>& paths, DeviceSettings device, OutputRows output) {
  const std::vector<ModelFile> files(paths.begin(), paths.end());
  device.quantized_models = std::ranges::all_of(files, is_quantized);
  OpenModels opened{open_backend(device), {}};
  log_verbose("computing on {}", opened.backend->description());
  for (const ModelFile& file : files) {
    opened.models.push_back(open_model(file, *opened.backend, output));
    check_same_vocabularies(opened.models.back().vocabularies, file.path(), opened.models[0].vocabularies,
                            paths[0]);
  }
  return opened;
}

std::vector<const SavedModel*> pointers_to(const std::vector<SavedModel>& models) {
  std::vector<const SavedModel*> pointers;
  pointers.reserve(models.size());
  for (const SavedModel& model : models) pointers.push_back(&model);
  return pointers;
}

}  // namespace nmt
