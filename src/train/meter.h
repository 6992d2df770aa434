// Meter: losses, speed and counts between two reports of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/status_line.h"
#include "optim/update.h"

namespace nmt {

/// Counters of a run that reports carry; they only grow.
struct Counters {
  std::int64_t step = 0, epoch = 1;
  std::int64_t source_tokens = 0, target_tokens = 0;  // marks included
  double data_wait = 0;                               // seconds that updates waited for their batches
};

class Meter {
 public:
  /// What has to be known to go on in another process.
  struct State {
    LossSum sum;                         // since the last report
    double rate = 0, gradient_norm = 0;  // of the last update
    double seconds = 0;                  // of the run so far
  };

  Meter() : Meter(State{}) {}
  explicit Meter(const State& state) : state_(state), start_(Clock::now()), last_(start_) {}

  /// Adds an update: its losses, the rate it used, the gradient norm before clipping.
  void add(const LossSum& sum, double rate, double gradient_norm);
  bool empty() const { return state_.sum.tokens == 0; }
  State state() const;

  /// The figures since the last report as a `train` line of metrics.jsonl.
  nlohmann::ordered_json figures(const Counters& counters) const;
  /// The same, and begins anew.
  nlohmann::ordered_json report(const Counters& counters);
  /// The same line for people; the ranks are for others to stand before (see progress_parts).
  static std::vector<StatusPart> parts(const nlohmann::ordered_json& report);

  /// Since the run began, whatever was interrupted in between.
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  State state_;
  Clock::time_point start_, last_;
  std::int64_t tokens_ = 0;  // since last_: those of the state were counted by another clock
};

/// exp(mean nll), capped where a double ends.
double perplexity(const LossSum& sum);
/// The same for people: "12.34", "1.23e+08", "inf".
std::string perplexity_text(double perplexity);
/// A figure with so many decimals, or in powers of ten where that would be long.
std::string figure_text(double figure, int decimals);

}  // namespace nmt
