// The training loop.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/status_line.h"
#include "data/batches.h"
#include "nn/saved_model.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "optim/update.h"
#include "tensor/communicator.h"
#include "train/meter.h"
#include "train/run_directory.h"
#include "train/settings.h"
#include "train/training_state.h"
#include "train/validator.h"

namespace nmt {

/// What a run works with; all of it must outlive the Trainer.
struct TrainingParts {
  SavedModel& model;  // on `backend`, with gradients
  Backend& backend;
  Communicator& communicator;
  const Corpus& corpus;
  const RunDirectory* run;
  std::string config;                        // resolved, carried by checkpoints
  std::optional<ValidationText> validation;  // none: no validation
};

class Trainer {
 public:
  /// `state`: the file of a run that goes on, from which weights and everything else are taken; nullptr: a
  /// new run, with the weights as they are. Throws Error when the state was made with another corpus.
  Trainer(const TrainingSettings& settings, const TrainingParts& parts, const ModelFile* state);

  /// Updates made so far.
  std::int64_t step() const { return counters_.step; }

  /// Trains until a limit is reached and saves the last update. Throws Interrupted after saving when a signal
  /// comes, Error when updates stay non-finite.
  void run();

 private:
  Trainer(const TrainingSettings& settings, const TrainingParts& parts, const ModelFile* state,
          const TrainingState& start);

  bool finished() const;
  /// One update; false when it was skipped because its loss or gradient is not finite.
  bool update(const Batch& batch);
  void after_update(const Batch& batch);
  [[noreturn]] void give_up() const;
  void log();
  void show_status();
  /// How much of the run lies behind, 0 to 1, by the limit that is nearest.
  double part_done() const;

  void validate();
  Validation measure_validation();
  /// Takes note of how good the validation was: saves one of the best, stops when they do not improve.
  void judge(const Validation& validation);

  /// The weights that are validated and saved: averages where they are kept.
  const Tensor& weights_to_save() const;
  std::vector<StateBuffer> buffers() const;
  TrainingState state() const;
  void save_state() const;
  void save_checkpoint();
  void save();
  /// What a signal leaves behind: the state and last.safetensors, but no checkpoint that averages would
  /// count.
  void save_interrupted();
  Progress progress() const;

  TrainingSettings settings_;
  TrainingParts parts_;
  Parameters& parameters_;
  ScheduleSettings schedule_;
  Meter meter_;  // before data_, which waits for its pool when a run goes on
  BatchStream data_;
  Arena arena_;
  Update update_;
  AdamOptimizer adam_;
  std::optional<MovingAverageOfWeights> average_;
  std::optional<Validator> validator_;
  BestValidations best_;
  Counters counters_;
  Due log_due_, valid_due_, save_due_;
  std::int64_t saved_step_ = -1, state_step_ = -1, validated_step_ = -1;
  int skipped_in_a_row_ = 0;
  StatusLine status_;
  double status_seconds_ = 0;  // when it was shown
};

}  // namespace nmt
