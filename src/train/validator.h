// Validation: how well a model does on text that it was not trained on.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data/parallel_text.h"
#include "metrics/metric.h"
#include "optim/update.h"
#include "train/meter.h"
#include "train/settings.h"
#include "translate/translator.h"

namespace nmt {

/// A validation text, which is small enough to lie in memory.
struct ValidationText {
  std::string name;                              // of its source side, for messages
  std::vector<Batch> batches;                    // the pairs that the filter keeps
  std::vector<std::string> sources, references;  // all lines
  std::uint64_t fingerprint = 0;                 // ParallelText::fingerprint()
};

/// Encodes a text. Throws Error when no pair is left of it.
ValidationText validation_text(const ParallelText& text, const Encoding& encoding, std::int64_t batch_tokens);

/// The metrics by which validations score translations, each once: always BLEU, those asked for, and the one
/// that tells the best model.
std::vector<std::string> validation_metrics(const TrainingSettings& settings);

struct Validation {
  LossSum loss;
  std::vector<std::string> translations;  // of all lines; empty when they were not asked for
  std::vector<Score> scores;              // of the translations, one by each metric
  std::vector<std::string> metrics;       // their names, in the same order

  /// One of validation_figures(), which it must have.
  double figure(const std::string& name) const;
  /// A `valid` line of metrics.jsonl, made after `seconds` of the run.
  nlohmann::ordered_json report(const Counters& counters, double seconds) const;
  /// Its figures for people.
  std::string text() const;
};

class Validator {
 public:
  /// `translation`: the settings of the search; none: no translations. `metrics`: names of those that score
  /// them, with their usual settings. All references must outlive this.
  Validator(ValidationText text, const SavedModel& model, Backend& backend, Arena& arena, Update& update,
            std::optional<SearchSettings> translation, std::vector<std::string> metrics);

  /// Computes the loss and, where asked for, translates every line once and scores that.
  /// Throws Interrupted soon after a signal came; Error when memory is too small for a line.
  Validation operator()();

 private:
  void translate(Validation& validation);

  ValidationText text_;
  const SavedModel& model_;
  Backend& backend_;
  Arena& arena_;
  Update& update_;
  std::optional<SearchSettings> translation_;
  std::vector<std::string> metrics_;
};

}  // namespace nmt
