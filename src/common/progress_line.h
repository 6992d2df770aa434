// How far a long work is: on a terminal in the status line, elsewhere in a line of the log now and then.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "common/status_line.h"

namespace nmt {

/// What to say of work of which `part`, from 0 to 1, is done after so many seconds: "25 %" and, at this pace,
/// "3 h 20 min left". Nothing where `part` is 0 or unknown. The most important of a line: ranks 0 and 1.
std::vector<StatusPart> progress_parts(std::optional<double> part, double seconds);

class ProgressLine {
 public:
  using Seconds = std::chrono::duration<double>;

  /// `work`: what goes on ("packing"). `noun`: what is counted ("pair", see count_of). `every`: the time
  /// between lines of the log.
  ProgressLine(std::string work, std::string noun, Seconds every = std::chrono::seconds(10));

  /// So much is done in all, `part` of the whole where that is known. Says so when it is time to; any thread
  /// may call it.
  void show(std::int64_t count, std::optional<double> part = std::nullopt);

  /// Since the work began.
  double seconds() const { return Seconds(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Whether it is time; if so, sets when it is the next time.
  bool is_due(Clock::time_point& due, Seconds interval) const;

  std::string work_, noun_;
  Seconds every_;
  Clock::time_point begin_ = Clock::now(), status_due_ = begin_, log_due_;
  std::mutex mutex_;
  StatusLine status_;
};

}  // namespace nmt
