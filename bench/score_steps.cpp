// Scoring of given translations, or the forward pass and loss of training, as a worker of alternate.py.
//
//   bench_score_steps PRESET VOCABULARY SENTENCES THREADS score|forward
//
// A step is 8 batches of SENTENCES pairs. With `score` they go to a Scorer, whose threads take their own
// batches; with `forward` they go through Update::loss one after another, whose threads share each operation.
#include "backend/factory.h"
#include "bench/worker.h"
#include "nn/weights/inference_weights.h"
#include "nn/weights/parameters.h"
#include "optim/update.h"
#include "translate/scoring/scorer.h"

namespace nmt::bench {
namespace {

constexpr std::size_t kBatches = 8;

void run(const Preset& preset, int vocabulary, std::size_t sentences, int threads, bool scores) {
  const auto backend = open_backend({.device = "cpu", .threads = threads});
  const auto model = model_of(preset, vocabulary);
  allocate_for_inference(model->parameters(), *backend);
  initialize(model->parameters(), *backend, 1);
  Workers workers(*backend);
  const SpecialTokens special_tokens{};
  Update update(*model, workers, special_tokens, {});
  const auto tokens = static_cast<std::int64_t>(sentences * kTokens);
  Scorer score({{model.get(), special_tokens}}, workers, tokens * threads);
  RandomExamples examples(vocabulary);
  serve([&] {
    if (scores) {
      score(examples.next(kBatches * sentences));
    } else {
      for (std::size_t i = 0; i < kBatches; ++i) update.loss({{examples.next(sentences)}});
    }
    return static_cast<std::int64_t>(kBatches) * tokens;
  });
}

}  // namespace
}  // namespace nmt::bench

int main(int count, char** arguments) {
  const std::string mode = count == 6 ? arguments[5] : "";
  if (mode != "score" && mode != "forward") {
    std::cerr << "usage: bench_score_steps PRESET VOCABULARY SENTENCES THREADS score|forward\n";
    return 2;
  }
  const auto number = [&](int i) { return std::stoi(arguments[i]); };
  nmt::bench::run(nmt::ModelRegistry::instance().preset(arguments[1]), number(2),
                  static_cast<std::size_t>(number(3)), number(4), mode == "score");
}
