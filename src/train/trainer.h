// The training loop.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/log/status_line.h"
#include "data/batches/batches.h"
#include "nn/files/saved_model.h"
#include "optim/schedule.h"
#include "train/divergence.h"
#include "train/forecast.h"
#include "train/limits.h"
#include "train/meter.h"
#include "train/replica.h"
#include "train/run/run_directory.h"
#include "train/run/training_state.h"
#include "train/settings.h"
#include "train/tensorboard/tensorboard.h"

namespace nmt {

/// What a run works with; all of it must outlive the Trainer.
struct TrainingParts : RankParts {
  const RunDirectory* run;
  std::string config;  // resolved, carried by checkpoints
};

/// Rank 0 of a run, which commands the updates of all ranks (see Replica) and does what is due after one,
/// always in this order: the line of metrics.jsonl, saving, and the validation. So a validation that is cut
/// short costs nothing but itself: the state tells that it is due, and a run that goes on begins with it.
/// Wherever a run is killed, calling it again completes what is missing.
class Trainer {
 public:
  /// `state`: the file of a run that goes on, from which weights and everything else are taken; nullptr: a
  /// new run, with the weights as they are. Throws Error when the state was made with another corpus.
  Trainer(const TrainingSettings& settings, const TrainingParts& parts, const ModelFile* state);

  /// Updates made so far.
  std::int64_t step() const { return counters_.step; }

  /// The best validations, best first.
  const std::vector<BestValidations::Entry>& best() const { return best_.entries(); }

  /// Trains until a limit is reached and saves the last update. Throws Interrupted after saving when the
  /// job is to end, Error when updates stay non-finite.
  void run();

 private:
  Trainer(const TrainingSettings& settings, const TrainingParts& parts, const ModelFile* state,
          const TrainingState& start);

  /// An update that the device was asked for, and whose statistics the host has not seen.
  struct Attempt {
    BatchSize size;
    std::int64_t epoch;
    StepStatistics statistics;
    Transfer transfer;  // after what it fills
  };

  /// Where the run is if the last attempt counts.
  Progress progress() const;
  /// The settings whose limits are reached; empty while the run goes on.
  std::string limits_reached() const;
  bool finished() const { return !limits_reached().empty(); }
  void start();
  void train();
  /// Completes a run whose limits are reached: its last line, checkpoint and validation, unless they are
  /// there.
  void conclude();

  /// Asks all ranks for an update with their shares of the last batch; then reads the statistics of the one
  /// before, which the device has made meanwhile. Throws Interrupted as Replica::update() does; data_ is then
  /// where it was.
  void update(Batch share);
  /// Waits for the statistics of the last attempt and counts it; false where there is none, or where it was
  /// skipped because its loss or gradient is not finite. Whatever tells or keeps where the run is, or uses
  /// the weights, comes after this.
  bool settle();
  /// What is due after an update.
  void after_update();
  [[noreturn]] void give_up() const;
  /// Tells how the last updates went, unless that was told; `window_ends`: at a multiple of log_every.
  void log(bool window_ends);
  /// Whether another twentieth of the run is done since the last call, or half an hour where no limit is set.
  /// Terminals, whose status line is written over, show a line that stays then.
  bool reaches_history_mark();
  /// How much of the run is done, how fast by this line, and how long the rest takes.
  std::vector<StatusPart> progress_parts(const nlohmann::ordered_json& report) const;
  /// Adds a line to metrics.jsonl, and for TensorBoard where that is wanted.
  void record(const nlohmann::ordered_json& line);
  /// Once, as soon as the speed of training is known: when the run is going to end.
  void tell_end();
  void show_status();

  void validate();
  /// With the figure of the user's command, which gets the translations as a file of the run.
  Validation measure_validation();
  std::string write_translations(const Validation& validation) const;
  /// Takes note of how good the validation was: saves one of the best, stops when they do not improve. One
  /// without the figure that tells so is neither.
  void judge(const Validation& validation);

  TrainingState state() const;
  /// Writes the weights as they are now, with the counts of the training behind them.
  void write_model(const std::string& path) const;
  /// Both do nothing when the file holds this update already.
  void save_state();
  void save_checkpoint();
  /// Checkpoint and state, and old checkpoints go.
  void save();
  /// The state and last.safetensors, but no checkpoint that averages would count: what a signal asks for.
  void save_last();
  /// Before the run ends by a signal.
  void save_interrupted();
  /// Where that was asked for since the last time (StopRequest::save_requests()).
  void save_if_asked();

  TrainingSettings settings_;
  TrainingParts parts_;
  Limits limits_;
  ScheduleSettings schedule_;
  Meter meter_;  // before replica_, which waits for its pool when a run goes on
  Replica replica_;
  BatchStream& data_;
  BestValidations best_;
  std::uint64_t validation_text_;  // TrainingState::validation
  DivergenceDetector divergence_;
  Counters counters_;
  Forecast forecast_;
  Due log_due_, valid_due_, save_due_;
  bool validation_due_;          // of this update, and yet to be made
  std::int64_t logged_step_;     // of the last line that log() made
  std::int64_t validated_step_;  // of the last validation
  std::int64_t saved_step_ = -1;
  bool state_is_saved_;  // as it is now
  int saves_answered_;   // of StopRequest::save_requests()
  int skipped_in_a_row_ = 0;
  std::unique_ptr<Attempt> attempt_;  // the last one, unless it is settled
  std::optional<TensorBoard> tensorboard_;
  StatusLine status_;
  double status_seconds_ = -1;  // when it was shown
  double history_mark_ = 0;     // see reaches_history_mark()
  bool end_is_told_ = false;
};

}  // namespace nmt
