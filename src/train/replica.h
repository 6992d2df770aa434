// Replica: the copy of the model on each rank of a run, and everything needed to update it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/job_context.h"
#include "data/batches/batches.h"
#include "nn/network.h"
#include "optim/optimizer.h"
#include "tensor/communicator.h"
#include "train/run/training_state.h"
#include "train/settings.h"
#include "train/stage.h"
#include "train/task.h"

namespace nmt {

/// A command of rank 0 to all ranks. Only rank 0 decides when a run ends, is validated or skips an update.
struct RankCommand {
  enum class Kind : std::uint8_t { update, decision, validation, gather, exchange, stage, end };

  Kind kind = Kind::update;
  // For an update:
  std::int64_t first = 1;            // see CountUpdate
  std::array<double, 2> rates = {};  // learning rates
  // For the decision about it (UpdateDecision):
  int signal = 0;  // the signal that cancels the update; 0: it is made
  // For data that is gathered on rank 0:
  std::size_t buffer = 0;  // index into Replica::buffers()
  Part part = {};          // of flat buffers
  DType dtype = DType::f32;
  // For a stage that begins:
  std::size_t stage = 0;  // its number
};

/// Sends a command from rank 0 to all others.
void send(const RankCommand& command, Communicator& communicator);

/// On other ranks: waits for the next command.
RankCommand receive(Communicator& communicator);

/// The parts that a rank works with, all of which must outlive the run.
struct RankParts {
  Network& network;  // on `backend`, with gradients; equal weights on all ranks
  Backend& backend;
  Communicator& communicator;
  std::vector<TrainingStage> stages;  // at least one
  MakeTask task;
  JobContext job = {};
};

/// Makes updates on commands of rank 0, together with the other ranks. Each rank computes the gradients of
/// its share of the update, and all get the sums. So the weights stay equal bit by bit on all ranks.
class Replica {
 public:
  /// Begins at `start`. `state`, the file of a resumed run, provides weights, moments and averages.
  Replica(const TrainingSettings& settings, RankParts parts, const TrainingState& start,
          const ModelFile* state);

  /// Returns the source of batches, which lasts until another stage begins.
  BatchStream& data() { return *data_; }
  const BatchStream& data() const { return *data_; }
  /// Begins with the text of a stage. On rank 0, sends a command, so that the other ranks follow.
  void begin_stage(std::size_t stage);
  /// Requests an update from the device with `share`, the last batch of data(). Statistics cover all ranks.
  /// Throws Interrupted if the update is canceled (see UpdateDecision); weights and moments are then as
  /// before.
  void update(Batch share, const RankCommand& command);
  /// Carries out a command on this rank, as rank 0 does after sending it.
  void carry_out(const RankCommand& command);
  /// On rank 0: validates the weights that are saved. Sends a command, so that the other ranks take part.
  /// Requires that the task validates.
  Validation validate();
  const Task& task() const { return *task_; }

  const DeviceStatistics& statistics() const { return statistics_; }
  /// On rank 0, return the tensors of a state file, and of a file with the weights that are validated and
  /// saved: averages, if they are kept. Data divided among ranks is gathered while the tensors are written;
  /// all ranks take part by a command.
  std::vector<FileTensor> state_tensors() const;
  std::vector<FileTensor> model_tensors() const;

 private:
  /// On rank 0, while this object lives, the models of all ranks compute with the averages of weights, if
  /// they are kept.
  class AverageInUse {
   public:
    explicit AverageInUse(Replica& replica);
    ~AverageInUse();
    AverageInUse(const AverageInUse&) = delete;
    AverageInUse& operator=(const AverageInUse&) = delete;

   private:
    Replica& replica_;
  };

  /// Returns the batches of a stage from a position.
  std::unique_ptr<BatchStream> batches(std::size_t stage, const StreamPosition& position) const;
  /// Returns all buffers of this rank that updates change and that are laid out as the weights.
  std::vector<StateBuffer> buffers() const;
  std::vector<FileTensor> tensors(std::size_t buffer, const std::string& prefix, DType dtype) const;

  DType travel_;  // type in which gradients are sent
  Communicator& communicator_;
  const StopRequest* stop_;
  TrainingWeights& weights_;
  std::vector<TrainingStage> stages_;
  StreamSettings stream_;
  std::unique_ptr<BatchStream> data_;
  Workers workers_;
  std::unique_ptr<Task> task_;
  DeviceStatistics statistics_;
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<MovingAverageOfWeights> average_;
};

/// Runs the loop of all ranks except the first, carrying out its commands; returns when the run ends there.
/// `stop`: of this process, so that it does not end before the others.
void worker_loop(Replica& replica, Communicator& communicator, StopRequest& stop);

}  // namespace nmt
