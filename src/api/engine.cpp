#include "nmt/engine.h"

#include <sched.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "common/error.h"
#include "common/log/log.h"
#include "common/text/utf8.h"
#include "engine/models.h"
#include "translate/scorer.h"
#include "translate/translator.h"

namespace nmt::v1 {
namespace {

constexpr int kUsualStreams = 2;
constexpr std::int64_t kScoredTokens = 2048;  // at a time

int cores_of_process() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

DeviceSettings device_settings(const EngineSettings& settings) {
  if (settings.threads < 0)
    throw UsageError("threads are {}: name 1 or more, or 0 for all cores", settings.threads);
  return {.device = settings.device,
          .precision = settings.precision,
          .threads = settings.threads == 0 ? cores_of_process() : settings.threads,
          .streams = kUsualStreams};
}

TranslatorSettings translator_settings(const SearchSettings& settings) {
  if (settings.beam < 1 || settings.n_best < 1 || settings.n_best > settings.beam) {
    throw UsageError("beam is {} and n_best {}: both are at least 1, and the beam is as wide as n_best",
                     settings.beam, settings.n_best);
  }
  TranslatorSettings translator;
  translator.search.beam = settings.beam;
  translator.search.n_best = settings.n_best;
  translator.search.length_penalty = settings.length_penalty;
  translator.search.max_length_factor = settings.max_length_factor;
  translator.search.max_length_extra = settings.max_length_extra;
  return translator;
}

std::string repaired(std::string text) {
  repair_utf8(text);
  return text;
}

}  // namespace

struct Engine::Opened {
  nmt::Models models;
  std::mutex mutex = {};
};

std::string version() {
  return NMT_VERSION;
}

Engine::Engine(const std::vector<std::string>& models, const EngineSettings& settings) {
  set_log_level(LogLevel::error);
  std::vector<std::string> files;
  files.reserve(models.size());
  for (const std::string& path : models) files.push_back(model_file(path));
  if (files.empty()) throw UsageError("no model is named");
  opened_.reset(new Opened{nmt::Models(files, device_settings(settings))});
}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::vector<std::vector<Translation>> Engine::translate(const std::vector<std::string>& texts,
                                                        const SearchSettings& settings) {
  const std::lock_guard lock(opened_->mutex);
  Translator translator(opened_->models.all(), opened_->models.workers(), translator_settings(settings));
  std::vector<std::string> lines;
  lines.reserve(texts.size());
  for (const std::string& text : texts) lines.push_back(repaired(text));
  std::vector<std::vector<Translation>> translations;
  translations.reserve(texts.size());
  for (NBest& found : translator.translate_n_best(lines)) {
    auto& list = translations.emplace_back();
    for (auto& each : found) list.push_back({std::move(each.text), each.score});
  }
  return translations;
}

std::vector<std::vector<double>> Engine::score(const std::vector<TextPair>& pairs) {
  const std::lock_guard lock(opened_->mutex);
  const Ensemble ensemble = opened_->models.ensemble();
  const Vocabularies& vocabularies = opened_->models.vocabularies();
  const LengthLimit limit(kUsualMaxLength, ensemble);
  const auto ids = [&](const Vocabulary& vocabulary, const std::string& text) {
    return vocabulary.encode(limit.beginning_of(repaired(text)));
  };
  std::vector<Example> examples;
  examples.reserve(pairs.size());
  for (const TextPair& pair : pairs) {
    examples.push_back(
        {std::ssize(examples), ids(vocabularies.source, pair.source), ids(vocabularies.target, pair.target)});
    limit.cut(examples.back(), false);
  }
  auto scores = Scorer(ensemble, opened_->models.workers(), kScoredTokens)(examples);
  if (scores.size() < examples.size()) {
    throw Error("pair {} takes more memory than there is; shorten or drop it", scores.size() + 1);
  }
  return scores;
}

}  // namespace nmt::v1
