#include "cli/ensemble.h"

namespace nmt {

void add_models_option(Options& options, std::vector<std::string>& target) {
  options
      .add("model,m", target, "FILE",
           "model file, or a run directory, whose best or else last model is taken; several with the same "
           "vocabularies work together as an ensemble")
      .required();
}

std::vector<SavedModel> open_models(const std::vector<std::string>& paths, Backend& backend) {
  std::vector<SavedModel> models;
  for (const std::string& path : paths) {
    models.push_back(open_model(path, backend));
    check_same_vocabularies(models.back().vocabularies, path, models[0].vocabularies, paths[0]);
  }
  return models;
}

std::vector<const SavedModel*> pointers_to(const std::vector<SavedModel>& models) {
  std::vector<const SavedModel*> pointers;
  pointers.reserve(models.size());
  for (const SavedModel& model : models) pointers.push_back(&model);
  return pointers;
}

}  // namespace nmt
