#include "nn/saved/saved_judge.h"

#include <utility>

#include "common/error.h"
#include "nn/saved/saved_model.h"

namespace nmt {

SavedJudge open_judge(const ModelFile& file, Backend& backend) {
  SavedNetwork saved = blank_network(file);
  const ModelType& type = ModelRegistry::instance().type_of(saved.settings);
  if (type.translates) {
    throw Error(
        "'{}' is a model of type '{}', which does not judge translations; name a COMET or MetricX model",
        file.path(), type.name);
  }
  load_for_inference(saved.network->parameters(), file, backend);
  return {std::move(saved.vocabularies.source), std::move(saved.network)};
}

}  // namespace nmt
