#include "cli/card_ranks.h"

#include "tensor/thread_ranks.h"

namespace nmt {
namespace {

/// The weights of a model, on their way to other devices.
std::vector<std::byte> weights_of(const RankParts& parts) {
  const Tensor& values = parts.model.model->parameters().values();
  std::vector<std::byte> bytes(values.bytes());
  parts.backend.download(bytes.data(), values);
  return bytes;
}

SavedModel copy_of(const SavedModel& model, const std::vector<std::byte>& weights, Backend& backend) {
  SavedModel copy{.settings = model.settings, .vocabularies = model.vocabularies, .marks = model.marks};
  copy.model = ModelRegistry::instance().make(copy.settings);
  Parameters& parameters = copy.model->parameters();
  parameters.allocate(backend, true);
  backend.upload(parameters.values(), weights.data());
  parameters.values_changed();
  return copy;
}

}  // namespace

void run_on_cards(const DeviceSettings& device, const std::vector<std::string>& cards, const RankParts& first,
                  const std::function<void(const RankParts&)>& work) {
  const std::vector<std::byte> weights = weights_of(first);
  run_ranks(static_cast<int>(cards.size()), [&](Communicator& hosts) {
    if (hosts.rank() == 0) {
      const std::unique_ptr<Communicator> connected = first.backend.connect(hosts);
      work({first.model, first.backend, *connected, first.corpus, first.validation});
      return;
    }
    DeviceSettings own = device;
    own.device = cards[static_cast<std::size_t>(hosts.rank())];
    const std::unique_ptr<Backend> backend = open_backend(own);
    SavedModel model = copy_of(first.model, weights, *backend);
    const std::unique_ptr<Communicator> connected = backend->connect(hosts);
    work({model, *backend, *connected, first.corpus, first.validation});
  });
}

}  // namespace nmt
