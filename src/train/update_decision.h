// Decides whether all ranks of a run make an update, or all cancel it midway.
#pragma once

#include <atomic>
#include <mutex>

#include "common/job_context.h"
#include "tensor/communicator.h"

namespace nmt {

/// Interrupts the passes of an update (Graph::end_on) if rank 0 cancels it. Rank 0 decides once, on the first
/// of two occasions: when it learns during a pass that the job is to end, or when it is about to wait for the
/// gradients of others. Another rank that learns of the end waits for the decision, and continues its pass if
/// it is too late to cancel.
class UpdateDecision final : public StopRequest {
 public:
  /// `stop`: of the job. Both arguments must outlive this object.
  UpdateDecision(Communicator& communicator, const StopRequest& stop)
      : communicator_(communicator), stop_(stop) {}

  /// Returns the signal for which the update is canceled; 0: none so far. Thread-safe, like all of
  /// StopRequest. Throws RankEnded if the run ends on rank 0 without a decision.
  int pending() const override;
  /// Forces the decision; all ranks call this before they wait for one another. Throws Interrupted if the
  /// update is canceled.
  void conclude();

 private:
  void decide(int signal) const;

  Communicator& communicator_;
  const StopRequest& stop_;
  mutable std::mutex guard_;  // protects the decision
  mutable std::atomic<bool> decided_ = false;
  mutable std::atomic<int> signal_ = 0;
};

}  // namespace nmt
