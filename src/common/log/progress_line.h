// How far a long work is: on a terminal in the status line, elsewhere in a line of the log now and then.
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

#include "common/log/status_line.h"

namespace nmt {

/// What to say of work of which `part`, from 0 to 1, is done: a bar, "25 %", what is done in a second
/// ("40 lines/s"), and how long the rest takes ("12 s"). The most important of a line: ranks 0 to 3.
std::vector<StatusPart> progress_parts(double part, std::string speed, const std::string& rest);

/// A bar for work of which nobody knows how much is done: it moves with time.
StatusPart moving_bar(double seconds);

/// The parts as a line of the log, which has no bar.
std::string log_text(std::vector<StatusPart> parts);

/// Is told how much is done in all, and which part of the whole that is where it is known
/// (ProgressLine::show, for instance), on whichever thread does the work.
using ProgressReport = std::function<void(std::int64_t count, std::optional<double> part)>;

/// How far the work on a chunk of a text is, when its items are done in any order by several threads.
class ChunkProgress {
 public:
  /// The chunk follows on `before` items of the text, has `items`, and reaches from part `begin` of the whole
  /// to part `end`.
  ChunkProgress(std::int64_t before, std::size_t items, std::optional<double> begin,
                std::optional<double> end, ProgressReport report);

  /// So many more items are done.
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

  /// `log`, which must outlive this: where it is told. `work`: what goes on ("packing"). `noun`: what is
  /// counted ("pair", see count_of); none: nothing is. `every`: the time between lines of the log.
  explicit ProgressLine(Log& log, std::string work, std::string noun = "",
                        Seconds every = std::chrono::seconds(10));

  /// So much is done in all, `part` of the whole where that is known. Says so when it is time to; any thread
  /// may call it.
  void show(std::int64_t count, std::optional<double> part = std::nullopt);

  /// The work goes on, and nobody knows how far it is.
  void wait();

  /// Since the work began.
  double seconds() const { return Seconds(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Whether it is time to say something; if so, sets when it is the next time.
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
