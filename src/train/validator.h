// Validation: how well a model does on text that it was not trained on.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "data/text/parallel_text.h"
#include "metrics/metric.h"
#include "optim/update.h"
#include "tensor/communicator.h"
#include "train/meter.h"
#include "train/settings.h"
#include "translate/service/translator.h"

namespace nmt {

/// A validation text, which is small enough to lie in memory.
struct ValidationText {
  std::string name;                              // of its source side, for messages
  std::vector<Batch> batches;                    // the pairs that the filter keeps
  std::vector<std::string> sources, references;  // all lines
  std::uint64_t fingerprint = 0;                 // ParallelText::fingerprint()
};

/// Encodes a text; a warning tells what was dropped. Throws Error when no pair is left of it.
ValidationText validation_text(const ParallelText& text, const Encoding& encoding, std::int64_t batch_tokens,
                               Log& log = silent_log());

/// What is measured beside the loss.
struct ValidationSettings {
  std::optional<SearchSettings> translation;  // none: nothing is translated
  std::vector<std::string> metrics;           // names of those that score translations
};

/// What a run measures. Metrics, each once: always BLEU, those asked for, and the one that tells the best
/// model.
ValidationSettings validation_settings(const TrainingSettings& settings);

struct Validation {
  LossSum loss;
  std::vector<std::string> translations;  // of all lines; empty when they were not asked for
  std::vector<Score> scores;              // of the translations, one by each metric
  std::vector<std::string> metrics;       // their names, in the same order
  std::optional<double> command;          // what command_figure() made of the translations

  /// One of validation_figures(); nothing where it was not measured.
  std::optional<double> figure(const std::string& name) const;
  /// A `valid` line of metrics.jsonl, made after `seconds` of the run.
  nlohmann::ordered_json report(const Counters& counters, double seconds) const;
  /// Its figures for people.
  std::string text() const;
};

class Validator {
 public:
  /// `workers` are those of the model's device, and so is `update`. All references must outlive this.
  Validator(ValidationText text, ValidationSettings settings, const SavedModel& model, Workers& workers,
            Update& update, Communicator& communicator, const JobContext& job);

  /// Computes the loss and, where asked for, translates every line once and scores that, together with all
  /// other ranks: batches and lines are partitioned among them. The scores are known on rank 0 alone. Throws
  /// Interrupted on rank 0 soon after any rank was asked to end, when the others have ended this as well;
  /// Error when memory is too small for a line.
  Validation operator()();

  /// With the batches of this rank alone.
  const ValidationText& text() const { return text_; }

 private:
  /// What `work` makes on each rank, by rank; nothing where it was to end on one of them.
  std::vector<std::string> on_all_ranks(const std::function<std::string()>& work);
  /// Of the batches of this rank, as bytes.
  std::string loss();
  /// The lines that this rank translates, with as many long ones and short ones as the others have.
  std::vector<std::size_t> own_lines() const;
  /// Their translations, each with its number before it.
  std::string translations();

  ValidationText text_;
  ValidationSettings settings_;
  const SavedModel& model_;
  Workers& workers_;
  Update& update_;
  Communicator& communicator_;
  JobContext job_;
};

}  // namespace nmt
