// What each rank of a run has: a copy of the model, and all that makes an update of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "data/batches.h"
#include "nn/saved_model.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"
#include "optim/update.h"
#include "tensor/communicator.h"
#include "train/settings.h"
#include "train/training_state.h"

namespace nmt {

/// What a rank works with; all of it must outlive the run.
struct RankParts {
  SavedModel& model;  // on `backend`, with gradients; of the same weights on all ranks
  Backend& backend;
  Communicator& communicator;
  const Corpus& corpus;
};

/// What rank 0 wants of all ranks next. Whatever steers a run (its limits, signals, validations, updates that
/// are skipped) is known there, and is decided there alone.
struct Order {
  bool end = false;                  // of the run; otherwise an update
  std::int64_t first = 1;            // see CountUpdate
  std::array<double, 2> rates = {};  // of learning
};

/// Makes updates as they are ordered, together with the other ranks: on the same order, each computes the
/// gradients of its share of the next batch; then all have the sums, and the weights stay the same bits
/// everywhere.
class Replica {
 public:
  /// Begins at `start`; with `state`, the file of a run that goes on, from its weights, moments and averages.
  Replica(const TrainingSettings& settings, const RankParts& parts, const TrainingState& start,
          const ModelFile* state);

  /// Where batches come from.
  BatchStream& data() { return data_; }
  const BatchStream& data() const { return data_; }
  /// Asks the device for an update with the share of the batch that data() has given last. Its figures are
  /// those of all ranks.
  void update(Batch share, const Order& order);

  const DeviceFigures& figures() const { return figures_; }
  /// Where losses of other batches are computed, and the memory for their activations.
  Update& losses() { return update_; }
  Arena& arena() { return arena_; }
  /// The average of weights; nullptr: none is kept.
  MovingAverageOfWeights* average() { return average_ ? &*average_ : nullptr; }
  /// The weights that are validated and saved: averages where they are kept.
  const Tensor& weights_to_save() const { return average_ ? average_->values() : parameters_.values(); }
  /// All that updates change.
  std::vector<StateBuffer> buffers() const;

 private:
  std::int64_t micro_batch_tokens_;
  Communicator& communicator_;
  Parameters& parameters_;
  BatchStream data_;
  Arena arena_;
  Update update_;
  DeviceFigures figures_;
  AdamOptimizer adam_;
  std::optional<MovingAverageOfWeights> average_;
};

/// The work of all ranks but the first, which orders it: returns when the run ends there. `state` as for
/// Trainer, on all ranks the same.
void follow(const TrainingSettings& settings, const RankParts& parts, const ModelFile* state);

/// Tells all ranks.
void send(const Order& order, Communicator& communicator);

}  // namespace nmt
