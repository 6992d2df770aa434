// Searches with a preset's model of random weights, as a worker of alternate.py. No sentence ends before it
// is as long as its source, so the work is known: every step has all its rows. Threads of the CPU share a
// search; each of those that drive a card has its own, of so many sentences.
//
//   bench_translate_steps PRESET VOCABULARY BEAM SENTENCES THREADS [PRECISION [INSTRUCTION-SET|CARD]]
#include <atomic>

#include "bench/worker.h"
#include "nn/inference_weights.h"
#include "nn/initializer.h"
#include "tensor/workers.h"
#include "translate/search.h"

namespace nmt::bench {
namespace {

/// Makes the end mark the least likely token.
void never_end(const Parameters& parameters, Backend& backend, int end) {
  constexpr float kUnlikely = -1e4F;
  for (const Parameters::Entry& entry : parameters.entries())
    if (entry.parameter.name == "output.bias")
      backend.upload(entry.parameter.value.slice_columns(end, 1), &kUnlikely);
}

void translate(const Preset& preset, int vocabulary, int beam, std::size_t sentences,
               const DeviceSettings& device) {
  const auto backend = open_backend(device);
  const auto model = model_of(preset, vocabulary);
  const Marks marks;
  Parameters& parameters = model->parameters();
  allocate_for_inference(parameters, *backend);
  initialize(parameters, *backend, 1);
  never_end(parameters, *backend, marks.target_end);
  prepack(parameters, *backend);
  RandomExamples examples(vocabulary);
  Workers workers(*backend);
  serve([&] {
    std::vector<std::vector<Example>> batches;
    for (int i = 0; i < device.streams; ++i) batches.push_back(examples.next(sentences));
    std::atomic<std::int64_t> tokens = 0;
    workers.run(batches.size(), [&](std::size_t batch, Worker& worker) {
      const auto found = search(*model, worker, batches[batch], marks,
                                {.beam = beam, .max_length_factor = 1, .max_length_extra = 0});
      for (const auto& hypotheses : found) tokens += static_cast<std::int64_t>(hypotheses[0].ids.size()) + 1;
    });
    return tokens.load();
  });
}

}  // namespace
}  // namespace nmt::bench

int main(int count, char** arguments) {
  if (count < 6 || count > 8) {
    std::cerr
        << "usage: bench_translate_steps PRESET VOCABULARY BEAM SENTENCES THREADS [PRECISION [ISA|CARD]]\n";
    return 2;
  }
  const auto number = [&](int i) { return std::stoi(arguments[i]); };
  nmt::bench::translate(
      nmt::ModelRegistry::instance().preset(arguments[1]), number(2), number(3),
      static_cast<std::size_t>(number(4)),
      nmt::bench::device_of(count > 7 ? arguments[7] : "auto", count > 6 ? arguments[6] : "auto", number(5)));
}
