#include "train/update_decision.h"

#include "train/rank_command.h"

namespace nmt {

int UpdateDecision::pending() const {
  if (!decided_) {
    if (const int signal = stop_.pending(); signal != 0) decide(signal);
  }
  return signal_;
}

void UpdateDecision::conclude() {
  decide(stop_.pending());
  check();
}

void UpdateDecision::decide(int signal) const {
  const std::lock_guard lock(guard_);
  if (decided_) return;
  RankCommand command{.kind = RankCommand::Kind::decision, .signal = signal};
  if (communicator_.rank() == 0)
    send(command, communicator_);
  else
    command = receive(communicator_);
  if (command.kind != RankCommand::Kind::decision) throw RankEnded();
  signal_ = command.signal;
  decided_ = true;
}

}  // namespace nmt
