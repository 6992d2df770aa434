#include "cli/pictures/plotted_model.h"

#include "common/error.h"
#include "foreign/open.h"
#include "nn/saved/saved_model.h"
#include "tensor/reals.h"

namespace nmt {
namespace {

std::vector<double> learned_positions_of(const ModelFile& file) {
  const FileTensor* table = file.find("source_positions.weight");
  if (table == nullptr) return {};
  if (table->dtype == DType::i8) {
    throw Error("the position embeddings of '{}' are in int8; use the model that it was converted from",
                file.path());
  }
  return widen(table->read().data(), static_cast<std::size_t>(table->size()), table->dtype);
}

ModelSettings with_vocabularies(ModelSettings settings) {
  for (const char* side : {"source_vocabulary", "target_vocabulary"}) settings.emplace(side, "1");
  return settings;
}

}  // namespace

bool PlottedModel::is_recurrent() const {
  return settings.at("type") == "rnn";
}

TransformerConfig PlottedModel::config() const {
  return TransformerConfig(with_vocabularies(settings));
}

RecurrentConfig PlottedModel::recurrent_config() const {
  return RecurrentConfig(with_vocabularies(settings));
}

double PlottedModel::training_number(const std::string& setting, double most) const {
  try {
    return real_setting(training, setting, 0, most);
  } catch (const ModelSettingError& error) {
    throw Error(
        "the training settings of '{}' cannot be plotted: {}; give the numbers of the picture as options",
        name, error.what());
  }
}

PlottedModel plotted_model(const std::string& path, const std::string& name) {
  const ModelFile file = open_model_file(path);
  const SavedModel model = blank_model(file);
  const std::string& type = model.settings.at("type");
  if (type != "transformer" && type != "rnn")
    throw Error("'{}' is a model of type {}; these pictures exist only for types transformer and rnn", path,
                type);
  PlottedModel plotted{.name = name,
                       .settings = model.settings,
                       .training = {},
                       .weights = model.model->parameters().count(),
                       .learned_positions = learned_positions_of(file)};
  file.check_unchanged();
  for (const auto& [setting, value] : read_plain_settings(file.config())) plotted.training[setting] = value;
  return plotted;
}

PlottedModel plotted_preset(const std::string& name) {
  const Preset& preset = ModelRegistry::instance().preset(name);
  return {.name = name,
          .settings = ModelRegistry::instance().complete(preset.model),
          .training = preset.training,
          .weights = std::nullopt,
          .learned_positions = {}};
}

}  // namespace nmt
