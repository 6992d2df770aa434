// Task: what a run learns. The loop of a run (trainer.h), its ranks and its files are the same for all tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "common/job_context.h"
#include "data/batches/batches.h"
#include "graph/graph.h"
#include "optim/device_statistics.h"
#include "tensor/workers.h"
#include "train/validation.h"
#include "train/validator.h"

namespace nmt {

/// The gradients and the validations of a run, on one of its ranks.
class Task {
 public:
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// Adds the gradients of this rank's share of an update to those of the weights, divided by the number of
  /// losses in the whole update, whose size is `size`, and begins the update in `statistics` with the losses.
  /// `key`: seeds the random draws of the update; see BatchStream::update_key(). `final`: see
  /// Graph::backward(). Throws Interrupted if `stop` requests it.
  virtual void gradients(Batch share, const BatchSize& size, std::uint64_t key, DeviceStatistics& statistics,
                         const FinalGradients& final, const StopRequest& stop) = 0;
  /// Whether there is data for validation.
  virtual bool validates() const = 0;
  /// Measures the model, together with all other ranks; only rank 0 gets all figures. Throws Interrupted on
  /// rank 0 soon after any rank was asked to end.
  virtual Validation validate() = 0;
  /// Returns the text of which validate() returns translations; null if there is none.
  virtual const ValidationText* validation_text() const { return nullptr; }

 protected:
  Task() = default;
};

/// Makes the task of a rank, whose device `workers` drive. They outlive the task.
using MakeTask = std::function<std::unique_ptr<Task>(Workers& workers)>;

}  // namespace nmt
