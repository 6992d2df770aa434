// Searches with a preset's model with random weights, as a worker of alternate.py. No sentence ends before it
// has the requested number of tokens, so the amount of work is known: every step has all rows. Threads of the
// CPU share a search; each thread that drives a GPU has its own search of SENTENCES sentences.
//
//   bench_translate_steps PRESET VOCABULARY BEAM SENTENCES THREADS [PRECISION [INSTRUCTION-SET|GPU
//                         [SOURCE TARGET [BATCH-TOKENS]]]]
//
// With a BEAM of 0, translations are sampled. SOURCE and TARGET are the tokens of sentences and translations,
// EOS included (25). With BATCH-TOKENS, sentences begin and end at different times in a search with this
// capacity, as with `nmt translate --batch-tokens`; otherwise all of them begin together.
#include <algorithm>
#include <atomic>
#include <optional>

#include "bench/worker.h"
#include "nn/weights/inference_weights.h"
#include "nn/weights/parameters.h"
#include "tensor/workers.h"
#include "translate/search/search.h"
#include "translate/service/translator.h"

namespace nmt::bench {
namespace {

/// The sentences to translate, and the settings of the search.
struct Work {
  int vocabulary, beam;  // 0: translations are drawn
  std::size_t sentences;
  std::size_t source = kTokens, target = kTokens;
  std::int64_t batch_tokens = 0;  // 0: all begin at once

  SearchSettings search() const {
    SearchSettings settings{.beam = std::max(beam, 1),
                            .max_length_factor = 0,
                            .max_length_extra = static_cast<double>(target) - 1};
    if (beam == 0) settings.sampling = SamplingSettings();
    return settings;
  }
};

/// Makes EOS the least likely token.
void never_end(const Parameters& parameters, Backend& backend, int end) {
  constexpr float kUnlikely = -1e4F;
  for (const Parameters::Entry& entry : parameters.entries())
    if (entry.parameter.name == "output.bias")
      backend.upload(entry.parameter.value.slice_columns(end, 1), &kUnlikely);
}

std::int64_t tokens_of(const std::vector<Hypothesis>& hypotheses) {
  return std::ssize(hypotheses[0].ids) + 1;
}

/// Translates these and returns the tokens of their translations.
std::int64_t translate_together(const Ensemble& ensemble, Worker& worker,
                                const std::vector<Example>& examples, const Work& work) {
  std::int64_t tokens = 0;
  for (const auto& hypotheses : search(ensemble, worker, examples, work.search()))
    tokens += tokens_of(hypotheses);
  return tokens;
}

/// Makes searches whose sentences begin and end at different times.
std::int64_t translate_in_turn(const Ensemble& ensemble, Worker& worker, const std::vector<Example>& examples,
                               const Work& work) {
  const auto settings = std::make_shared<const SearchSettings>(work.search());
  const DecoderCapacity workspace =
      translation_capacity({.search = *settings, .batch_tokens = work.batch_tokens});
  auto example = examples.begin();
  Search search(ensemble, worker, workspace, [&]() -> std::optional<SearchRequest> {
    if (example == examples.end()) return std::nullopt;
    const Example& next = *example++;
    return SearchRequest{next.id, next.source, settings};
  });
  std::int64_t tokens = 0;
  while (search.step()) {
    for (const Search::Found& found : search.take()) tokens += tokens_of(found.hypotheses);
  }
  return tokens;
}

void translate(const Preset& preset, const Work& work, const DeviceSettings& device) {
  const auto backend = open_backend(device);
  const auto model = model_of(preset, work.vocabulary);
  const SpecialTokens special_tokens;
  Parameters& parameters = model->parameters();
  allocate_for_inference(parameters, *backend);
  initialize(parameters, *backend, 1);
  never_end(parameters, *backend, special_tokens.target_eos);
  prepack(parameters, *backend);
  RandomExamples examples(work.vocabulary, work.source);
  Workers workers(*backend);
  serve([&] {
    std::vector<std::vector<Example>> batches;
    for (int i = 0; i < device.streams; ++i) batches.push_back(examples.next(work.sentences));
    std::atomic<std::int64_t> tokens = 0;
    workers.run(batches.size(), [&](std::size_t batch, Worker& worker) {
      const auto& translate = work.batch_tokens > 0 ? translate_in_turn : translate_together;
      tokens += translate({{model.get(), special_tokens}}, worker, batches[batch], work);
    });
    return tokens.load();
  });
}

}  // namespace
}  // namespace nmt::bench

int main(int count, char** arguments) {
  if (count < 6 || count == 9 || count > 11) {
    std::cerr << "usage: bench_translate_steps PRESET VOCABULARY BEAM SENTENCES THREADS "
                 "[PRECISION [ISA|GPU [SOURCE TARGET [BATCH-TOKENS]]]]\n";
    return 2;
  }
  const auto number = [&](int i) { return std::stoi(arguments[i]); };
  nmt::bench::Work work{
      .vocabulary = number(2), .beam = number(3), .sentences = static_cast<std::size_t>(number(4))};
  if (count > 9) {
    work.source = static_cast<std::size_t>(number(8));
    work.target = static_cast<std::size_t>(number(9));
  }
  if (count > 10) work.batch_tokens = number(10);
  nmt::bench::translate(
      nmt::ModelRegistry::instance().preset(arguments[1]), work,
      nmt::bench::device_of(count > 7 ? arguments[7] : "auto", count > 6 ? arguments[6] : "auto", number(5)));
}
