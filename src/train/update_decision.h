// Decides whether an update is made: by all ranks or by none, and not by runs that diverge.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "common/job_context.h"
#include "optim/update.h"
#include "tensor/communicator.h"

namespace nmt {

/// Detects divergence from the mean loss of spans of updates. Training has diverged, and will hardly recover,
/// if the loss is more than twice that of a uniform guess over the vocabulary. The same holds if the loss has
/// risen much over several consecutive spans.
class DivergenceDetector {
 public:
  /// `pieces`: vocabulary size. The loss of a uniform guess is its natural logarithm per token.
  explicit DivergenceDetector(std::int64_t pieces);

  /// Adds the losses of the next update. Returns what is wrong, once; otherwise an empty text.
  std::string add(const LossSum& update);

 private:
  static constexpr int kSpan = 25;          // updates
  static constexpr int kRises = 4;          // spans in a row
  static constexpr double kMuchRise = 0.5;  // nats per token

  std::string judge(double nll);

  double uniform_;
  bool warned_ = false;
  LossSum sum_;  // of the current span
  int updates_ = 0;
  int rises_ = 0;
  double lowest_ = 0, last_ = 0;  // before the rise; of the last span
  bool first_ = true;
};

/// Interrupts the passes of an update (Graph::end_on) if rank 0 cancels it. Rank 0 decides once: when it
/// learns during a pass that the job is to end, or else when it is about to wait for the gradients of others.
/// Another rank that learns of the end waits for the decision, and continues its pass if it is too late to
/// cancel.
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
