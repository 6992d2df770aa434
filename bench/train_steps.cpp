// Full updates (forward, backward, Adam) of a preset, as a worker of alternate.py.
//
//   bench_train_steps PRESET[,SETTING=VALUE...] VOCABULARY SENTENCES THREADS [PRECISION [ISA|GPU]]
//
// Settings of the model change those of the preset, as in transformer-small,positions=rotary.
#include <sstream>

#include "bench/worker.h"
#include "common/error.h"
#include "data/batches/batches.h"
#include "optim/optimizer.h"
#include "optim/update.h"

namespace nmt::bench {
namespace {

LossSettings loss_settings(const Preset& preset) {
  const auto rate = [&](const char* name) { return std::stod(preset.training.at(name)); };
  return {{rate("dropout"), rate("attention_dropout"), rate("activation_dropout")}, rate("label_smoothing")};
}

/// Returns a preset with the changes after its name.
Preset preset_of(const std::string& text) {
  std::istringstream parts(text);
  std::string part;
  std::getline(parts, part, ',');
  Preset preset = ModelRegistry::instance().preset(part);
  while (std::getline(parts, part, ',')) {
    const std::size_t equals = part.find('=');
    if (equals == part.npos) throw Error("{} is not SETTING=VALUE", part);
    preset.model[part.substr(0, equals)] = part.substr(equals + 1);
  }
  return preset;
}

void train(const Preset& preset, int vocabulary, std::size_t sentences, const DeviceSettings& device) {
  const auto backend = open_backend(device);
  const auto model = model_of(preset, vocabulary);
  model->allocate_for_training(*backend).initialize(1);
  Workers workers(*backend);
  Update update(*model, workers, SpecialTokens{}, loss_settings(preset));
  AdamOptimizer adam(model->training_weights(), {});
  RandomExamples examples(vocabulary);
  DeviceStatistics statistics(*backend, 1);
  std::int64_t steps = 0;
  const auto step = [&] {
    adam.zero_gradients();
    Batch batch{examples.next(sentences)};
    const std::int64_t tokens = size_of(batch).target;
    update.gradients(update.shards(std::move(batch), 2 * tokens), tokens, statistics);
    adam.update(statistics, ++steps, {1e-4});
    return tokens;
  };
  serve(step, [&] { statistics.read(); });
}

}  // namespace
}  // namespace nmt::bench

int main(int count, char** arguments) {
  if (count < 5 || count > 7) {
    std::cerr << "usage: bench_train_steps PRESET[,SETTING=VALUE...] VOCABULARY SENTENCES THREADS [PRECISION "
                 "[ISA|GPU]]\n";
    return 2;
  }
  const auto number = [&](int i) { return std::stoi(arguments[i]); };
  nmt::bench::train(
      nmt::bench::preset_of(arguments[1]), number(2), static_cast<std::size_t>(number(3)),
      nmt::bench::device_of(count > 6 ? arguments[6] : "auto", count > 5 ? arguments[5] : "auto", number(4)));
}
