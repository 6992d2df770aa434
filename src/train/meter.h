// Meter: losses, speed and counts between two reports of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "optim/update.h"

namespace nmt {

/// Counters of a run that reports carry; they only grow.
struct Counters {
  std::int64_t step = 0, epoch = 1;
  std::int64_t source_tokens = 0, target_tokens = 0;  // marks included
};

class Meter {
 public:
  Meter() : start_(Clock::now()), last_(start_) {}

  /// Adds an update: its losses, the rate it used, the gradient norm before clipping.
  void add(const LossSum& sum, double rate, double gradient_norm);
  bool empty() const { return sum_.tokens == 0; }

  /// The `train` line of metrics.jsonl for what was added since the last call.
  nlohmann::ordered_json report(const Counters& counters);
  /// The same line for people.
  static std::string text(const nlohmann::ordered_json& report);

  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_, last_;
  LossSum sum_;
  double rate_ = 0, gradient_norm_ = 0;
};

/// exp(mean nll), capped where a double ends.
double perplexity(const LossSum& sum);

}  // namespace nmt
