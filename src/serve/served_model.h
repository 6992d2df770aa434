// A model of a server.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backend/factory.h"
#include "data/text/sentences.h"
#include "data/vocabulary/languages.h"
#include "engine/models.h"
#include "serve/fair_turns.h"
#include "serve/translation_cache.h"
#include "translate/service/translation_service.h"

namespace nmt {

/// What clients call a model, and where it is.
struct ModelSource {
  std::string name;
  /// What it translates, where its name is such a pair ("en-de"); else both are empty.
  Languages pair;
  std::string path;  // a model file, or the directory of a run
};

/// `text`: NAME=PATH, or a path, whose file or directory is the name, less ".safetensors". Throws UsageError
/// for a name that is empty or holds a blank.
ModelSource model_source(const std::string& text);

/// How models compute.
struct ServingSettings {
  DeviceSettings device;
  std::int64_t max_length = kUsualMaxLength;  // see TranslationServiceSettings
  std::int64_t batch_tokens = 2048;
  std::int64_t cached_sentences = 0;  // of each model; see TranslationCache
  /// Most bytes that the files of models that are open have together; 0: any number.
  std::uintmax_t memory = 0;
};

/// A model, opened, with a service of its own. What comes of a text depends on nothing else that is served.
class ServedModel {
 public:
  /// Throws Error for what cannot be opened, and for a language model.
  ServedModel(const ModelSource& source, const ServingSettings& settings);

  const SavedModel& model() const { return models_.first(); }
  /// What requests that say nothing else ask for.
  const std::shared_ptr<const SearchSettings>& search() const { return search_; }
  const SentenceSplitter& splitter() const { return splitter_; }
  TranslationService& service() { return service_; }
  TranslationCache& cache() { return cache_; }
  FairTurns& turns() { return turns_; }

 private:
  std::string file_;
  Models models_;
  std::shared_ptr<const SearchSettings> search_;
  SentenceSplitter splitter_;
  TranslationCache cache_;
  FairTurns turns_;
  TranslationService service_;
};

}  // namespace nmt
