#include "foreign/foreign_model.h"

#include <fmt/format.h>

#include "nn/registry.h"
#include "nn/saved/saved_model.h"

namespace nmt {
namespace {

std::string config_of(const ForeignModel& model) {
  const std::string training =
      model.trained_length ? fmt::format("max_length: {}\n", *model.trained_length) : std::string();
  return training + write_model_settings(model.settings) + write_decoding_settings(model.decoding);
}

std::vector<FileTensor> tensors_of(const ForeignModel& model) {
  const Shortlist* shortlist = model.shortlist ? &*model.shortlist : nullptr;
  std::vector<FileTensor> tensors = tensors_beside_weights(model.vocabularies, shortlist);
  tensors.insert(tensors.end(), model.weights.begin(), model.weights.end());
  return tensors;
}

}  // namespace

std::vector<FileTensor> weights_from(const std::map<std::string, WeightSource>& sources,
                                     const ModelSettings& settings, const std::string& name) {
  return weights_from(sources, ModelRegistry::instance().make_network(settings)->parameters(), name);
}

ModelFile model_with(const ForeignModel& contents, const std::string& name) {
  contents.tensors.check_weights();
  return {name, config_of(contents), tensors_of(contents), contents.tensors.shared_file()};
}

}  // namespace nmt
