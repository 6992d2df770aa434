// A training run, and the settings and data that all of its ranks must have in common.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/device_ranks.h"
#include "engine/training_plan.h"
#include "nn/files/model_file.h"
#include "nn/saved/saved_model.h"
#include "train/replica.h"
#include "train/run/checkpoints.h"
#include "train/run/run_directory.h"
#include "train/settings.h"

namespace nmt {

/// Checks that all processes of a run have the same plan. It consists of the settings of `config` (complete,
/// without paths) except the number of threads and the device, and of everything that is read from files:
/// text, vocabularies, and `state` or else the weights that the run begins with. All processes call this
/// together. Throws as check_agreement() does.
void check_same_plan(const TrainingPlan& plan, const std::string& config,
                     const std::optional<ModelFile>& state, DeviceRanks& ranks);

/// The output of a run.
struct TrainingOutput {
  std::string directory;
  bool overwrite = false;
  std::string config, config_without_paths;    // complete, as YAML
  std::vector<std::string> warnings, remarks;  // logged at the beginning
  QualityMetrics of_models = {};               // judge validations on rank 0
  /// See TranslationParts::utility; for each rank of this process, or none.
  std::vector<std::shared_ptr<const Utility>> utilities = {};
  /// Called with the path of the run's log file after the directory is taken over and before anything is
  /// logged.
  std::function<void(const std::string& path)> begin_log = [](const std::string&) {};
};

/// Opens the state of the run in a directory, if there is one to continue. Throws Error.
std::optional<ModelFile> state_of_run(const std::string& directory);

/// Throws Error if the state in the directory of a run, which is locked by now, is not the one that the run
/// was to continue from: that of this step, or none.
void check_not_trained_since(const TrainingOutput& output, std::optional<std::int64_t> step);

/// Begins the log of a run and writes its configuration. `has_ended`: nothing is left to train, so settings
/// that have changed have no effect.
void begin_run(const TrainingOutput& output, const RunDirectory& directory, bool has_ended, Log& log);

/// Carries out a plan, from the first update to the last one.
class TrainingJob {
 public:
  /// `model`: that of the plan, on the first device of `ranks` for training, with copies on all others. All
  /// arguments must outlive this object. The file of a state that the run continues must be closed, because
  /// the run replaces it.
  TrainingJob(const TrainingPlan& plan, const TrainingMemory& memory, DeviceRanks& ranks, SavedModel& model);

  /// Trains on all ranks of this process. Returns the best validations, best first, if rank 0 is in this
  /// process. Throws Error if there is not enough memory, and as Trainer::run() does.
  std::optional<std::vector<BestValidations::Entry>> run(const TrainingOutput& output);

 private:
  /// Does the work of a rank: the first one trains, and the others follow its instructions.
  void run_rank(const DeviceRank& rank, const TrainingOutput& output);
  RankParts parts_of(const DeviceRank& rank, const TrainingOutput& output) const;
  /// Trains in the directory of the run, which is new or contains `state`. The file of `state` is closed as
  /// soon as it has been read, because the run replaces it.
  void train(const RankParts& parts, const RunDirectory& directory, const TrainingOutput& output,
             std::optional<ModelFile>& state);

  const TrainingPlan& plan_;
  const TrainingMemory& memory_;
  DeviceRanks& ranks_;
  SavedModel& model_;
  TrainingSettings settings_;  // of the plan, with the size of micro-batches
  std::optional<std::vector<BestValidations::Entry>> best_;
};

}  // namespace nmt
