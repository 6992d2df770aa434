// Common code of the workers of alternate.py: models with random weights, sentences of random tokens, and the
// loop that answers with the time for a number of steps.
#pragma once

#include <ctime>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "common/log/terminal_log.h"
#include "data/example.h"
#include "nn/registry.h"

namespace nmt::bench {

/// Tokens of a sentence, EOS included.
inline constexpr std::size_t kTokens = 25;

/// A preset's model with one vocabulary of this size.
inline std::unique_ptr<Model> model_of(const Preset& preset, int vocabulary) {
  ModelSettings settings = preset.model;
  settings["source_vocabulary"] = settings["target_vocabulary"] = std::to_string(vocabulary);
  const ModelRegistry& registry = ModelRegistry::instance();
  return registry.make(registry.complete(settings));
}

/// Pairs of sentences of `tokens` tokens, EOS included.
class RandomExamples {
 public:
  explicit RandomExamples(int vocabulary, std::size_t tokens = kTokens)
      : tokens_(tokens), ids_(3, vocabulary - 1) {}  // the first ids are special tokens

  std::vector<Example> next(std::size_t count) {
    std::vector<Example> examples;
    while (examples.size() < count) examples.push_back({examples_++, sentence(), sentence()});
    return examples;
  }

 private:
  std::vector<int> sentence() {
    std::vector<int> ids(tokens_ - 1);
    for (int& id : ids) id = ids_(random_);
    return ids;
  }

  std::size_t tokens_;
  std::mt19937 random_{1};
  std::uniform_int_distribution<int> ids_;
  std::int64_t examples_ = 0;
};

/// Seconds on a clock of the system.
inline double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A device by one word: a GPU ("cuda", "cuda:1"), each of whose threads has a stream and whose warnings go
/// to standard error, or an instruction set of the CPU.
inline DeviceSettings device_of(const std::string& name, const std::string& precision, int threads) {
  static TerminalLog log;
  if (name.starts_with("cuda"))
    return {.device = name, .precision = precision, .streams = threads, .events = {.log = &log}};
  return {.device = "cpu", .precision = precision, .cpu_isa = name, .threads = threads};
}

/// For each number on the input, makes as many steps. Prints the sum of their results, the seconds that they
/// took, and the seconds of CPU time. `finish` returns when the work requested by the steps is done.
template <class Step, class Finish>
void serve(const Step& step, const Finish& finish) {
  for (int steps = 0; std::cin >> steps;) {
    const double wall = seconds(CLOCK_MONOTONIC);
    const double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    std::int64_t tokens = 0;
    for (int i = 0; i < steps; ++i) tokens += step();
    finish();
    std::cout << tokens << ' ' << seconds(CLOCK_MONOTONIC) - wall << ' '
              << seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu << std::endl;
  }
}

/// Serves steps that return when their work is done.
template <class Step>
void serve(const Step& step) {
  serve(step, [] {});
}

}  // namespace nmt::bench
