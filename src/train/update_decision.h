// Whether all ranks of a run make an update, or all give it up in its middle.
#pragma once

#include <atomic>
#include <mutex>

#include "common/process/stop_request.h"
#include "tensor/communicator.h"

namespace nmt {

/// Asks the passes of an update to end (Graph::end_on) where rank 0 gives it up. That decides once, on the
/// first of two occasions: when it learns in a pass that the job is to end, or when it is about to wait for
/// the gradients of others. Another rank that learns of the end waits for the decision, and goes on with its
/// pass where it comes too late.
class UpdateDecision final : public StopRequest {
 public:
  /// `stop`: of the job. Both must outlive this.
  UpdateDecision(Communicator& communicator, const StopRequest& stop)
      : communicator_(communicator), stop_(stop) {}

  /// The signal that the update is given up for; 0: none so far. For any of the rank's threads, as all of
  /// StopRequest is. Throws RankEnded where the run ends on rank 0 without a decision.
  int pending() const override;
  /// Brings about the decision, which all ranks call before they wait for one another. Throws Interrupted
  /// where the update is given up.
  void conclude();

 private:
  void decide(int signal) const;

  Communicator& communicator_;
  const StopRequest& stop_;
  mutable std::mutex guard_;  // of the decision
  mutable std::atomic<bool> decided_ = false;
  mutable std::atomic<int> signal_ = 0;
};

}  // namespace nmt
