#include "train/update_decision.h"

#include <fmt/format.h>

#include <cmath>

#include "train/meter.h"
#include "train/replica.h"

namespace nmt {

DivergenceDetector::DivergenceDetector(std::int64_t pieces)
    : uniform_(std::log(static_cast<double>(pieces))) {}

std::string DivergenceDetector::add(const LossSum& update) {
  if (warned_) return "";
  sum_ += update;
  if (++updates_ < kSpan) return "";
  std::string trouble = judge(sum_.nll / static_cast<double>(sum_.tokens));
  sum_ = {};
  updates_ = 0;
  warned_ = !trouble.empty();
  return trouble;
}

std::string DivergenceDetector::judge(double nll) {
  const bool rises = !first_ && nll > last_;
  rises_ = rises ? rises_ + 1 : 0;
  if (!rises) lowest_ = nll;
  first_ = false;
  last_ = nll;
  if (nll > 2 * uniform_) {
    return fmt::format("training diverges: {} nats a token, where a uniform guess costs {:.1f}",
                       figure_text(nll, 1), uniform_);
  }
  if (rises_ >= kRises && nll - lowest_ > kMuchRise) {
    return fmt::format("the loss keeps rising: {:.2f} nats a token, {:.2f} some {} updates ago", nll, lowest_,
                       rises_ * kSpan);
  }
  return "";
}

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
