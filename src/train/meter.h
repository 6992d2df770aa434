// Meter: losses, speed and counts of the last updates of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "common/log/status_line.h"
#include "common/process/stop_request.h"
#include "optim/update.h"

namespace nmt {

/// Counters of a run that reports carry; they only grow.
struct Counters {
  std::int64_t step = 0, epoch = 1;
  std::int64_t source_tokens = 0, target_tokens = 0;  // special tokens included
  double data_wait = 0;                               // seconds that updates waited for their batches
};

/// Updates are counted in windows, which end where lines of metrics.jsonl are due. A line between two of
/// those, at the end of a run, is of the window that is open and the one before, so that a few updates make
/// no figures of their own; the window goes on, as it would if the run had not ended.
class Meter {
 public:
  /// What has to be known to go on in another process.
  struct State {
    LossSum window, before;              // the sums of the open window; of the one before
    double rate = 0, gradient_norm = 0;  // of the last update
    double seconds = 0;                  // of the run so far
  };

  Meter() : Meter(State{}) {}
  /// `stop`, which must outlive this, knows when the process lay idle.
  explicit Meter(const State& state, const StopRequest& stop = never_stopped())
      : stop_(&stop), state_(state), start_(Clock::now()) {}

  /// Between resume() and pause() time is of training, of which speeds are. Each does nothing when it was
  /// called last.
  void resume();
  void pause();

  /// Adds an update: its losses, the rate it used, the gradient norm before clipping.
  void add(const LossSum& sum, double rate, double gradient_norm);
  State state() const;

  /// The figures of the open window as a `train` line of metrics.jsonl.
  nlohmann::ordered_json window(const Counters& counters) const;
  /// Those of the window before together with it.
  nlohmann::ordered_json two_windows(const Counters& counters) const;
  /// Begins another window.
  void end_window();
  /// The figures of such a line for people: tokens a second, and the others, whose ranks leave room for
  /// progress_parts.
  static std::string speed(const nlohmann::ordered_json& report);
  static std::vector<StatusPart> parts(const nlohmann::ordered_json& report);

  /// Since the run began, whatever was interrupted in between.
  double seconds() const;
  /// Of training, since this object was made.
  double seconds_of_training() const { return training_.seconds; }

 private:
  using Clock = std::chrono::steady_clock;
  /// What was done in how much time.
  struct Work {
    double seconds = 0;
    std::int64_t tokens = 0;
    Work& operator+=(const Work& other);
  };

  nlohmann::ordered_json figures(const Counters& counters, const LossSum& sum, const Work& work) const;

  const StopRequest* stop_;
  State state_;
  Clock::time_point start_;
  std::optional<Clock::time_point> since_;  // the last update, or resume(); none: paused
  int continued_ = 0;                       // StopRequest::continued() at that time
  // By the clock of this process: what the state has was counted by another one.
  Work training_, window_, before_;
};

/// exp(mean nll), capped where a double ends.
double perplexity(const LossSum& sum);
/// The same for people: "12.34", "1.23e+08", "inf".
std::string perplexity_text(double perplexity);
/// A figure with so many decimals, or in powers of ten where that would be long.
std::string figure_text(double figure, int decimals);

}  // namespace nmt
