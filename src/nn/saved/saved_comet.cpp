#include "nn/saved/saved_comet.h"

#include <utility>

#include "common/error.h"
#include "nn/saved/saved_model.h"

namespace nmt {

SavedComet open_comet(const ModelFile& file, Backend& backend) {
  SavedNetwork saved = blank_network(file);
  auto* const comet = dynamic_cast<CometModel*>(saved.network.get());
  if (comet == nullptr) {
    throw Error("'{}' is a model of type '{}', which does not judge translations; name a COMET model",
                file.path(), saved.settings.at("type"));
  }
  static_cast<void>(saved.network.release());
  SavedComet opened{std::move(saved.vocabularies.source), std::unique_ptr<CometModel>(comet)};
  load_for_inference(comet->parameters(), file, backend);
  return opened;
}

}  // namespace nmt
