// Validation of models on text that they were not trained on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/text/parallel_text.h"
#include "metrics/metric.h"
#include "optim/update.h"
#include "tensor/communicator.h"
#include "train/settings.h"
#include "train/validation.h"
#include "translate/quality/quality_metric.h"
#include "translate/service/translator.h"

namespace nmt {

/// Returns the indices, from 0, of five lines (or all) spread evenly over a text of `count` lines.
std::vector<std::int64_t> sample_lines(std::int64_t count);

/// Returns a line, or its first `longest` bytes and "…".
std::string cut_short(std::string line, std::size_t longest);

/// Runs a command by the shell, with `file`, which contains the translations, as an additional argument, and
/// returns the number it prints. Returns nothing, after a warning that says why, if the command cannot be
/// run, fails, takes longer than `timeout` (0: no limit), or prints something else; training continues
/// without this figure. Throws Interrupted, after the command has ended, if the job is to end.
std::optional<double> command_figure(const std::string& command, const std::string& file,
                                     std::chrono::milliseconds timeout, const JobContext& job);

/// A validation text, kept in memory.
struct ValidationText {
  std::string name;                              // name of its source side, for messages
  std::vector<Batch> batches;                    // the pairs that the filter keeps
  std::vector<std::string> sources, references;  // all lines
  std::uint64_t fingerprint = 0;                 // ParallelText::fingerprint()
};

/// Encodes a validation text; a warning reports what was dropped. Throws Error if no pair is left.
ValidationText validation_text(const ParallelText& text, const Encoding& encoding, std::int64_t batch_tokens,
                               Log& log = silent_log());

/// The figures that are measured in addition to the loss.
struct ValidationSettings {
  std::optional<SearchSettings> translation;  // none: nothing is translated
  std::vector<std::string> metrics;           // names of the metrics that score translations
  QualityMetrics of_models = {};              // the metrics that need a model; only rank 0 has them
};

/// Returns the figures that a run measures. Its metrics are BLEU, those that the settings name, and the one
/// that selects the best model, each once.
ValidationSettings validation_settings(const TrainingSettings& settings);

class Validator {
 public:
  /// `workers` and `update` must be on the model's device. All references must outlive this object.
  Validator(ValidationText text, ValidationSettings settings, const SavedModel& model, Workers& workers,
            Update& update, Communicator& communicator, const JobContext& job);

  /// Computes the loss and, if asked for, translates every line once and scores the translations, together
  /// with all other ranks: batches and lines are partitioned among them. Only rank 0 gets the scores. Throws
  /// Interrupted on rank 0 soon after any rank was asked to end, when the others have stopped as well; Error
  /// if memory is too small for a line.
  Validation operator()();

  /// Returns the validation text, with the batches of this rank only.
  const ValidationText& text() const { return text_; }

 private:
  /// Returns the results of `work` on each rank, by rank; empty if one of the ranks was asked to end.
  std::vector<std::string> on_all_ranks(const std::function<std::string()>& work);
  /// Returns the loss of the batches of this rank, as bytes.
  std::string loss();
  /// Returns the lines that this rank translates, with a share of long and short lines like that of other
  /// ranks.
  std::vector<std::size_t> own_lines() const;
  /// Returns the translations of these lines, each preceded by its number.
  std::string translations();
  /// Returns the score of translations by the metric of this name.
  Score score(const std::string& metric, const std::vector<std::string>& translations) const;

  ValidationText text_;
  ValidationSettings settings_;
  const SavedModel& model_;
  Workers& workers_;
  Update& update_;
  Communicator& communicator_;
  JobContext job_;
};

}  // namespace nmt
