// A training run whose settings are known.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/corpus.h"
#include "data/text/filter.h"
#include "data/text/pair_reader.h"
#include "data/text/parallel_text.h"
#include "engine/device_ranks.h"
#include "nn/saved/saved_model.h"
#include "train/memory_need.h"
#include "train/run/best.h"
#include "train/run/run_directory.h"
#include "train/settings.h"
#include "train/validator.h"

namespace nmt {

/// The data that a run trains on.
struct TrainingTexts {
  const Corpus* packed = nullptr;  // null: `text`
  std::optional<PairReader> text;  // with alignments and weights if the reader has them
  AlignmentUnit alignment_unit = AlignmentUnit::word;
  Filter filter;
  ParallelFiles validation;  // if not given, there is no validation
};

/// The output of a run.
struct TrainingOutput {
  std::string directory;
  bool overwrite = false;
  std::string config, config_without_paths;    // complete, as YAML
  std::vector<std::string> warnings, remarks;  // logged at the beginning
  /// Called with the path of the run's log file after the directory is taken over and before anything is
  /// logged.
  std::function<void(const std::string& path)> begin_log = [](const std::string&) {};
};

/// Opens the state of the run in a directory, if there is one to continue. Throws Error.
std::optional<ModelFile> state_of_run(const std::string& directory);

/// A training run, from opening its data to the last update.
class TrainingJob {
 public:
  /// Opens the texts, chooses the settings that depend on them (`settings.from_corpus`), encodes the
  /// validation data, checks that all processes of the run have the same data and `config` (complete, without
  /// paths), copies the model to all devices of `ranks`, and finds the size of micro-batches that fits if
  /// `settings` leave it open (micro_batch_tokens 0). The choices are written to `settings`. `model` is on
  /// the first device for training, or without memory if only memory_need() is called; `state` is that of a
  /// run to continue. `settings`, `ranks` and `texts.packed` must outlive this object. Throws UsageError and
  /// Error.
  TrainingJob(TrainingSettings& settings, DeviceRanks& ranks, SavedModel model, TrainingTexts texts,
              std::optional<ModelFile> state, const std::string& config, const JobContext& job);
  TrainingJob(const TrainingJob&) = delete;
  TrainingJob& operator=(const TrainingJob&) = delete;

  const SavedModel& model() const { return model_; }
  const Corpus& corpus() const { return *corpus_; }
  /// The settings that depend on the texts, as a message; empty if there are none. See fit_to_corpus().
  const std::string& settings_from_corpus() const { return settings_from_corpus_; }
  /// The number of bytes that training needs, and that are free.
  const MemoryNeed& memory_need() const { return need_; }
  std::size_t free_bytes() const { return free_bytes_; }

  /// Trains on all ranks of this process. Returns the best validations, best first, if rank 0 is in this
  /// process. Throws Error if there is not enough memory, and as Trainer::run() does.
  std::optional<std::vector<BestValidations::Entry>> run(const TrainingOutput& output);

 private:
  Encoding encoding(const Filter& filter) const;
  void open_corpus(TrainingTexts& texts);
  /// Opens the validation data, after choosing the settings that depend on the corpus, which the batches of
  /// validation need.
  void open_validation(const TrainingTexts& texts);
  /// Returns the sizes that the memory of a run depends on.
  RunShape shape() const;
  /// Does the work of a rank: the first one trains, and the others follow its instructions.
  void run_rank(RankParts parts, const TrainingOutput& output);
  /// Throws Error if the state in the directory of the run, which is locked by now, has changed since it was
  /// read.
  void check_state(const TrainingOutput& output) const;
  /// Trains in the directory of the run, which is new or contains `state`. The file of `state` is closed as
  /// soon as it has been read, because the run replaces it.
  void train(RankParts parts, const RunDirectory& directory, const TrainingOutput& output,
             std::optional<ModelFile>& state);

  TrainingSettings& settings_;
  JobContext job_;
  DeviceRanks& ranks_;
  SavedModel model_;
  Filter filter_;
  std::optional<ValidationText> validation_;
  std::optional<TextCorpus> text_;
  const Corpus* corpus_;
  std::string settings_from_corpus_;
  std::optional<std::int64_t> goes_on_from_;  // a step; none: a new run
  std::size_t free_bytes_ = 0;
  std::int64_t frozen_weights_ = 0;
  MemoryNeed need_;
  std::optional<std::vector<BestValidations::Entry>> best_;
};

}  // namespace nmt
