// The training loop.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nn/saved_model.h"
#include "optim/optimizer.h"
#include "optim/update.h"
#include "tensor/communicator.h"
#include "train/meter.h"
#include "train/run_directory.h"
#include "train/settings.h"

namespace nmt {

class BatchStream;

class Trainer {
 public:
  /// `model`: on `backend`, with gradients. `config`: the resolved configuration that checkpoints carry.
  /// `validation`: batches of the validation set; none: no validation.
  Trainer(const TrainingSettings& settings, SavedModel& model, Backend& backend, Communicator& communicator,
          BatchStream& data, std::vector<Batch> validation, const RunDirectory& run, std::string config);

  /// Trains until a limit is reached and saves the last update. Throws Interrupted after saving when a signal
  /// comes, Error when updates stay non-finite.
  void run();

 private:
  bool finished() const;
  /// One update; false when it was skipped because its loss or gradient is not finite.
  bool update(const Batch& batch);
  void after_update(const Batch& batch);
  void log();
  void validate();
  void save();
  Progress progress() const;

  TrainingSettings settings_;
  SavedModel& model_;
  Communicator& communicator_;
  BatchStream& data_;
  std::vector<Batch> validation_;
  const RunDirectory& run_;
  std::string config_;
  std::int64_t width_;
  Arena arena_;
  Update update_;
  AdamOptimizer adam_;
  Meter meter_;
  Counters counters_;
  Due log_due_, valid_due_, save_due_, stop_due_;
  bool stopped_ = false;
  std::int64_t saved_step_ = -1, validated_step_ = -1;
  int skipped_in_a_row_ = 0;
};

}  // namespace nmt
