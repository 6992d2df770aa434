// What each rank of a run has: a copy of the model, and all that makes an update of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "common/process/job_context.h"
#include "data/batches/batches.h"
#include "nn/files/saved_model.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"
#include "optim/update.h"
#include "tensor/communicator.h"
#include "train/expected_risk.h"
#include "train/rank_command.h"
#include "train/run/training_state.h"
#include "train/settings.h"
#include "train/validator.h"

namespace nmt {

/// What a rank works with; all of it must outlive the run.
struct RankParts {
  SavedModel& model;  // on `backend`, with gradients; of the same weights on all ranks
  Backend& backend;
  Communicator& communicator;
  const Corpus& corpus;
  std::optional<ValidationText> validation;  // none: no validation
  JobContext job = {};
};

/// A buffer of the state, laid out as TrainingWeights::values(), and the prefix of its tensors' names.
struct StateBuffer {
  std::string prefix;  // "weights."
  Tensor values;
};

/// Makes updates on the commands of rank 0, together with the other ranks: on the same command, each computes
/// the gradients of its share of the next update; then all have the sums, and the weights stay the same bits
/// everywhere.
class Replica {
 public:
  /// Begins at `start`; with `state`, the file of a run that goes on, from its weights, moments and averages.
  Replica(const TrainingSettings& settings, RankParts parts, const TrainingState& start,
          const ModelFile* state);

  /// Where batches come from.
  BatchStream& data() { return data_; }
  const BatchStream& data() const { return data_; }
  /// Asks the device for an update with the share that data() has given last. Its statistics are those of all
  /// ranks. Throws Interrupted where it is given up (see UpdateDecision), after which weights and moments are
  /// as before.
  void update(Batch share, const RankCommand& command);
  /// Does what rank 0 does when it has sent this command.
  void carry_out(const RankCommand& command);
  /// On rank 0: measures the weights that are saved, together with the other ranks, by a command; there is a
  /// text to do it on.
  Validation validate();
  bool validates() const { return validator_.has_value(); }
  /// The text of validations, where there is one.
  const ValidationText& validation_text() const { return validator_->text(); }

  const DeviceStatistics& statistics() const { return statistics_; }
  /// On rank 0, the tensors of a file of the state, and of one of the weights that are validated and saved:
  /// averages where they are kept. What is divided among ranks is gathered as they are written, in which all
  /// ranks take part by a command.
  std::vector<FileTensor> state_tensors() const;
  std::vector<FileTensor> model_tensors() const;

 private:
  /// On rank 0, while it lives, the models of all ranks compute with the averages of weights, where they are
  /// kept.
  class AverageInUse {
   public:
    explicit AverageInUse(Replica& replica);
    ~AverageInUse();
    AverageInUse(const AverageInUse&) = delete;
    AverageInUse& operator=(const AverageInUse&) = delete;

   private:
    Replica& replica_;
  };

  /// Computes the gradients of a share of the next update, and where minimum risk training is asked for,
  /// those of the candidates of its sentences.
  void compute_gradients(Batch share, const FinalGradients& final, const StopRequest& stop);
  /// All that updates change, of this rank.
  std::vector<StateBuffer> buffers() const;
  std::vector<FileTensor> tensors(std::size_t buffer, const std::string& prefix, DType dtype) const;

  std::int64_t micro_batch_tokens_;
  DType travel_;  // what gradients travel in
  Communicator& communicator_;
  const StopRequest* stop_;
  TrainingWeights& weights_;
  BatchStream data_;
  Workers workers_;
  Update update_;
  std::optional<RiskSampler> risk_;
  DeviceStatistics statistics_;
  AdamOptimizer adam_;
  std::optional<MovingAverageOfWeights> average_;
  std::optional<Validator> validator_;
};

/// The loop of all ranks but the first, whose commands it carries out: returns when the run ends there.
/// `stop`: of this process, lest it ends before the others.
void worker_loop(Replica& replica, Communicator& communicator, StopRequest& stop);

}  // namespace nmt
