// The training loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/log/terminal_log.h"
#include "data/batches/batches.h"
#include "nn/saved/vocabularies.h"
#include "nn/settings.h"
#include "optim/schedule.h"
#include "train/limits.h"
#include "train/meter.h"
#include "train/replica.h"
#include "train/run/run_directory.h"
#include "train/run/training_state.h"
#include "train/settings.h"
#include "train/tensorboard.h"
#include "train/update_decision.h"

namespace nmt {

/// The parts that a run works with, all of which must outlive the Trainer.
struct TrainingParts : RankParts {
  const RunDirectory* run;
  std::string config;          // resolved configuration, stored in checkpoints
  const ModelSettings& model;  // of the network
  const Vocabularies& vocabularies;
  LossKind loss = LossKind::tokens;
  std::uint64_t validation = 0;  // fingerprint of the data for validation; 0: there is none
  std::map<std::string, std::string> metadata = {};  // of checkpoints and states, besides counters
};

/// Rank 0 of a run, which commands the updates of all ranks (see Replica). After an update, it writes the
/// line of metrics.jsonl, saves and validates, in this order, each if it is due. So an interrupted validation
/// loses nothing else: the state records that the validation is due, and a resumed run begins with it. A run
/// that was killed at any point completes the missing parts when it is started again.
class Trainer {
 public:
  /// `state`: the state file of a resumed run, which provides weights and everything else; nullptr: a new
  /// run, with the weights as they are. Throws Error if the state belongs to another corpus.
  Trainer(const TrainingSettings& settings, const TrainingParts& parts, const ModelFile* state);

  /// Returns the number of updates made so far.
  std::int64_t step() const { return counters_.step; }

  /// Returns the best validations, best first.
  const std::vector<BestValidations::Entry>& best() const { return best_.entries(); }

  /// Whether the limits are reached and the last update is validated, so that run() changes nothing.
  bool has_ended() const;

  /// Trains until a limit is reached and saves the last update. Throws Interrupted, after saving, if the job
  /// is to end, and Error if updates repeatedly are not finite, or weights or moments are not.
  void run();

 private:
  Trainer(const TrainingSettings& settings, const TrainingParts& parts, const ModelFile* state,
          const TrainingState& start);

  /// An update that was requested from the device, and whose statistics the host has not read.
  struct Attempt {
    BatchSize size;
    std::int64_t epoch;
    StepStatistics statistics;
    Transfer transfer;  // declared after what it fills
  };

  /// Returns the progress of the run, assuming that the last attempt counts.
  Progress progress() const;
  BatchStream& data() { return replica_.data(); }
  const BatchStream& data() const { return replica_.data(); }
  const TrainingStage& stage() const { return parts_.stages[stage_.stage]; }
  /// Describes all limits of the run for people.
  std::string plan();
  /// Returns the number of complete passes of earlier stages.
  std::int64_t passes_before_stage() const;
  /// Whether the current stage has reached its end.
  bool stage_is_over() const;
  /// Begins the stage after the current one, which must not be the last.
  void begin_next_stage();
  /// Takes over the learning rate of the current stage, times the factor by which it was lowered.
  void take_learning_rate();
  /// Lowers the learning rate if another `stalled_patience` validations did not improve.
  void lower_learning_rate();
  /// Takes over the learning rate of the current stage, and logs what it is.
  void announce_stage();
  /// Returns the settings whose limits are reached; empty while the run continues.
  std::string limits_reached() const;
  bool finished() const { return !limits_reached().empty(); }
  void start();
  void train();
  /// Completes a run whose limits are reached: writes its last line and checkpoint, and validates, unless
  /// this is done already.
  void conclude();

  /// Requests an update from all ranks with their shares of the last batch; then reads the statistics of the
  /// previous update, which the device has finished meanwhile. Throws Interrupted as Replica::update() does,
  /// and moves data() back.
  void update(Batch share);
  /// Waits for the statistics of the last attempt and counts it. Returns false if there is none, or if it was
  /// skipped because its loss or gradient is not finite. Must precede everything that reports or saves the
  /// progress of the run, or uses the weights.
  bool settle();
  /// Does what is due after an update.
  void after_update();
  [[noreturn]] void give_up() const;
  /// Returns what to do when weights or gradients are not finite.
  std::string advice_when_diverged() const;
  /// Writes a file of the run. Throws Error if it would hold NaN or infinity.
  void write(const std::function<void()>& write_file) const;
  /// Logs the figures of the last updates unless already logged; `window_ends`: at a multiple of log_every.
  void log(bool window_ends);
  /// Whether another twentieth of the run is done since the last call, or half an hour if there is no limit.
  /// Terminals, which overwrite the status line, then show a line that stays.
  bool reaches_history_mark();
  /// Returns the completed part of the run, the speed in this report, and the remaining time.
  std::vector<StatusPart> progress_parts(const nlohmann::ordered_json& report) const;
  /// Adds a line to metrics.jsonl, and to TensorBoard files if wanted.
  void record(nlohmann::ordered_json line);
  /// Logs once, as soon as the speed of training is known, when the run will end.
  void tell_end();
  void show_status();

  void validate();
  /// Validates, and adds the figure of the user's command, which gets the translations as a file of the run.
  Validation measure_validation();
  std::string write_translations(const Validation& validation) const;
  /// Evaluates a validation: saves one of the best, and stops when there is no improvement. Ignores a
  /// validation without the figure that decides.
  void judge(const Validation& validation);

  TrainingState state() const;
  /// Writes the current weights, with the counters of the training so far.
  void write_model(const std::string& path) const;
  /// Save the state or a checkpoint unless the file already contains this update.
  void save_state();
  void save_checkpoint();
  /// Saves checkpoint and state, and removes old checkpoints.
  void save();
  /// Saves the state and last.safetensors, but no checkpoint that averages would include, as a signal
  /// requests.
  void save_last();
  /// Saves before a signal ends the run.
  void save_interrupted();
  /// Saves if that was requested since the last time (StopRequest::save_requests()).
  void save_if_asked();

  TrainingSettings settings_;
  TrainingParts parts_;
  Limits limits_;
  ScheduleSettings schedule_;
  Meter meter_;  // before replica_, which waits for its pool in a resumed run
  Replica replica_;
  BestValidations best_;
  std::uint64_t validation_text_;                 // TrainingState::validation
  std::optional<DivergenceDetector> divergence_;  // of the losses of tokens
  Counters counters_;
  StagePlace stage_;
  double rate_factor_;  // TrainingState::rate_factor
  Forecast forecast_;
  Due log_due_, valid_due_, save_due_;
  bool validation_due_;          // at this update, and not made yet
  std::int64_t logged_step_;     // of the last line written by log()
  std::int64_t validated_step_;  // of the last validation
  std::int64_t saved_step_ = -1;
  bool state_is_saved_;  // whether the current state is saved
  int saves_answered_;   // number of StopRequest::save_requests() handled
  int skipped_in_a_row_ = 0;
  std::unique_ptr<Attempt> attempt_;  // the last one, unless it is settled
  std::optional<TensorBoard> tensorboard_;
  StatusLine status_;
  double status_seconds_ = -1;  // when the status line was shown last
  double history_mark_ = 0;     // see reaches_history_mark()
  bool end_is_told_ = false;
};

}  // namespace nmt
