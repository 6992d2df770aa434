// A run of training, when its settings are known.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "data/corpus.h"
#include "data/text/filter.h"
#include "data/text/pair_reader.h"
#include "data/text/parallel_files.h"
#include "data/text/text_corpus.h"
#include "engine/device_ranks.h"
#include "nn/files/saved_model.h"
#include "train/memory_need.h"
#include "train/run/best.h"
#include "train/run/run_directory.h"
#include "train/settings.h"
#include "train/validator.h"

namespace nmt {

/// What a run trains on.
struct TrainingTexts {
  const Corpus* packed = nullptr;  // or else
  std::optional<PairReader> text;  // with alignments and weights where the reader has some
  AlignmentUnit alignment_unit = AlignmentUnit::word;
  Filter filter;
  ParallelFiles validation;  // not given: no validation
};

/// What a run writes.
struct TrainingOutput {
  std::string directory;
  bool overwrite = false;
  std::string config, config_without_paths;  // resolved, YAML
  std::vector<std::string> remarks;          // logged as it begins
  /// Told the file for the log of the run, when the directory is taken over and before anything is logged.
  std::function<void(const std::string& path)> begin_log = [](const std::string&) {};
};

/// The state of the run in a directory, where there is one to go on from. Throws Error.
std::optional<ModelFile> state_of_run(const std::string& directory);

class TrainingJob {
 public:
  /// Opens the texts, chooses the settings that follow from them (`settings.from_corpus`), encodes what
  /// validation measures, lets all processes of the run agree that they have the same (`config` is resolved,
  /// without paths), gives all devices of `ranks` the model, and finds the size of micro-batches that fits,
  /// where `settings` leave it open (micro_batch_tokens 0). What is chosen is written into `settings`. The
  /// model is on the first device to be trained, or without memory, where nothing but memory_need() is asked
  /// for; `state`: of a run that goes on. `settings`, `ranks` and `texts.packed` must outlive this. Throws
  /// UsageError and Error.
  TrainingJob(TrainingSettings& settings, DeviceRanks& ranks, SavedModel model, TrainingTexts texts,
              std::optional<ModelFile> state, const std::string& config, const JobContext& job);
  TrainingJob(const TrainingJob&) = delete;
  TrainingJob& operator=(const TrainingJob&) = delete;

  const SavedModel& model() const { return model_; }
  const Corpus& corpus() const { return *corpus_; }
  /// The settings that follow from the texts, for people; empty: none does. See fit_to_corpus().
  const std::string& settings_from_corpus() const { return settings_from_corpus_; }
  /// Bytes that it takes, and that there are.
  const MemoryNeed& memory_need() const { return need_; }
  std::size_t free_bytes() const { return free_bytes_; }

  /// Trains, on all ranks of this process. Where rank 0 is among them, returns the best validations, best
  /// first. Throws Error where memory does not suffice, and as Trainer::run().
  std::optional<std::vector<BestValidations::Entry>> run(const TrainingOutput& output);

 private:
  Encoding encoding(const Filter& filter) const;
  void open_corpus(TrainingTexts& texts);
  /// Chooses the settings that follow from the corpus on the way, since batches of validation depend on them.
  void open_validation(const TrainingTexts& texts);
  /// What its memory depends on.
  RunShape shape() const;
  /// The work of a rank: the first one trains, the others do as it says.
  void run_rank(RankParts parts, const TrainingOutput& output);
  /// Throws Error where the directory of the run, which is locked by now, has another state than it had.
  void check_state(const TrainingOutput& output) const;
  /// Trains in the directory of the run, which is new or holds `state`: closed as soon as it is taken over,
  /// since the run replaces it.
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
  std::optional<std::int64_t> goes_on_from_;  // a step; nothing: a new run
  std::size_t free_bytes_ = 0;
  std::int64_t frozen_weights_ = 0;
  MemoryNeed need_;
  std::optional<std::vector<BestValidations::Entry>> best_;
};

}  // namespace nmt
