// Meter: losses, speed and counts of the last updates of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/job_context.h"
#include "common/log/terminal_log.h"
#include "data/batches/batches.h"
#include "optim/update.h"

namespace nmt {

/// Returns the figures of a line: its numbers by name, except those that describe the progress of the run
/// (step, epoch, source_tokens, target_tokens, seconds).
std::vector<std::pair<std::string, double>> figures_of(const nlohmann::ordered_json& line);

/// The losses of a run.
enum class LossKind : std::uint8_t {
  tokens,     // cross-entropies of target tokens, whose mean has a perplexity
  judgments,  // squared errors of the scores of translations
};

/// Returns the number of losses in an update of this size.
constexpr std::int64_t losses_in(const BatchSize& size, LossKind kind) {
  return kind == LossKind::tokens ? size.target : size.pairs;
}

/// Counters of a run that appear in reports; they never decrease.
struct Counters {
  std::int64_t step = 0, epoch = 1;
  std::int64_t source_tokens = 0, target_tokens = 0;  // special tokens included
  double data_wait = 0;                               // seconds that updates waited for batches
};

/// Counts updates in windows, which end when lines of metrics.jsonl are due. A line in the middle of a
/// window, at the end of a run, covers the open window and the previous one, so that figures never come from
/// a few updates only. The window stays open, as it would if the run had not ended.
class Meter {
 public:
  /// The state from which another process can continue.
  struct State {
    LossSum window, before;              // sums of the open window, and of the previous one
    double rate = 0, gradient_norm = 0;  // of the last update
    double seconds = 0;                  // of the run so far
  };

  Meter() : Meter(State{}) {}
  /// `stop`, which must outlive this object, knows when the process was suspended.
  explicit Meter(const State& state, const StopRequest& stop = never_stopped(),
                 LossKind kind = LossKind::tokens)
      : stop_(&stop), kind_(kind), state_(state), start_(Clock::now()) {}

  /// Start and stop the training time, on which speeds are based. Each does nothing if called twice in a row.
  void resume();
  void pause();

  /// Adds an update: its losses, the rate it used, the gradient norm before clipping.
  void add(const LossSum& sum, double rate, double gradient_norm);
  State state() const;

  /// Returns the figures of the open window as a `train` line of metrics.jsonl.
  nlohmann::ordered_json window(const Counters& counters) const;
  /// Returns the figures of the previous window and the open one together.
  nlohmann::ordered_json two_windows(const Counters& counters) const;
  /// Begins another window.
  void end_window();
  /// Formats the figures of a `train` line for people. speed() returns the losses per second, or an empty
  /// text if there are none. parts() returns the other figures, with ranks between which those of
  /// progress_parts() fit.
  static std::string speed(const nlohmann::ordered_json& report);
  static std::vector<StatusPart> parts(const nlohmann::ordered_json& report);

  /// Returns the seconds since the run began, across interruptions.
  double seconds() const;
  /// Returns the seconds of training since this object was created.
  double seconds_of_training() const { return training_.seconds; }

 private:
  using Clock = std::chrono::steady_clock;
  /// Amount of work and the time it took.
  struct Work {
    double seconds = 0;
    std::int64_t tokens = 0;
    Work& operator+=(const Work& other);
  };

  nlohmann::ordered_json figures(const Counters& counters, const LossSum& sum, const Work& work) const;

  const StopRequest* stop_;
  LossKind kind_;
  State state_;
  Clock::time_point start_;
  std::optional<Clock::time_point> since_;  // time of the last update, or of resume(); none: paused
  int continued_ = 0;                       // StopRequest::continued() at that time
  // By the clock of this process; times in the state were measured by another process.
  Work training_, window_, before_;
};

/// Returns exp(mean nll), limited to the largest double.
double perplexity(const LossSum& sum);
/// Formats a perplexity for people: "12.34", "1.23e+08", "inf".
std::string perplexity_text(double perplexity);
/// Formats a figure with this number of decimals, or in exponential notation if that would be long.
std::string figure_text(double figure, int decimals);

}  // namespace nmt
