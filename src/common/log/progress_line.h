// Progress of long work: in the status line on a terminal, otherwise in occasional lines of the log.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/log/terminal_log.h"

namespace nmt {

/// Returns the parts of a progress message for work of which `part`, from 0 to 1, is done: a bar, "25 %", the
/// speed ("40 lines/s"), and the remaining time ("12 s"). Their ranks are 0 to 3.
std::vector<StatusPart> progress_parts(double part, std::string speed, const std::string& rest);

/// Returns a bar that moves with time, for work whose progress is unknown.
StatusPart moving_bar(double seconds);

/// Returns the parts as a line of the log, without the bar.
std::string log_text(std::vector<StatusPart> parts);

/// Receives how much is done in all, and its share of the whole if known (for instance ProgressLine::show).
/// Called on the thread that does the work.
using ProgressReport = std::function<void(std::int64_t count, std::optional<double> part)>;

/// Tracks the progress on a chunk of a text whose items are done in any order by several threads.
class ChunkProgress {
 public:
  /// The chunk comes after `before` items of the text, has `items` items, and spans the work from share
  /// `begin` to share `end`.
  ChunkProgress(std::int64_t before, std::size_t items, std::optional<double> begin,
                std::optional<double> end, ProgressReport report);

  /// Adds `items` to those done.
  void add(std::size_t items);

 private:
  std::int64_t before_;
  std::size_t items_;
  std::optional<double> begin_, end_;
  ProgressReport report_;
  std::atomic<std::size_t> done_ = 0;
};

class ProgressLine {
 public:
  using Seconds = std::chrono::duration<double>;

  /// `log` receives the messages and must outlive this object. `work`: a name for the work ("packing").
  /// `noun`: what is counted ("pair", see count_of(); "byte": in MB); empty: nothing. `every`: time between
  /// lines of the log.
  explicit ProgressLine(Log& log, std::string work, std::string noun = "",
                        Seconds every = std::chrono::seconds(10));

  /// Reports how much is done in all, and the share of the whole if known. Prints it only at intervals; any
  /// thread may call it.
  void show(std::int64_t count, std::optional<double> part = std::nullopt);

  /// Reports that the work continues with unknown progress.
  void wait();

  /// Returns the seconds since the work began.
  double seconds() const { return Seconds(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Whether it is time to print; if so, sets the next time.
  bool is_due();
  void say(std::vector<StatusPart> parts);

  Log& log_;
  std::string work_, noun_;
  Seconds every_;
  Clock::time_point begin_ = Clock::now(), status_due_ = begin_, log_due_;
  std::mutex mutex_;
  StatusLine status_;
};

}  // namespace nmt
