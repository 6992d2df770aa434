// Puts the results of lines, which arrive in any order, into the order of the lines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <vector>

#include "common/log/progress_line.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// Divides a text into windows by the cost of its lines, independently of how the text is read. Within a
/// window, lines of similar length share steps of the search. The lines of a window are finished before the
/// next window is far advanced. So the first lines of a text do not wait for the last ones, and are not lost
/// with them.
class LineWindows {
 public:
  /// For workers that together process `rows_at_a_time` rows of sources and hypotheses at a time. A window
  /// has at most `most_lines` lines.
  LineWindows(std::int64_t rows_at_a_time, std::int64_t most_lines);

  /// Returns the number of the window of the next line.
  std::int64_t window_of(const TranslationRequest& line);

 private:
  std::int64_t most_rows_, most_lines_;
  std::int64_t window_ = 0, rows_ = 0, lines_ = 0;  // of the current window
};

/// A queue of lines in progress: one thread announces lines, others deliver results, and one takes the
/// results in order.
class OrderedResults {
 public:
  /// `report` is called with the number of lines that are done, in any order, and with the part of the text
  /// that these lines make up.
  explicit OrderedResults(ProgressReport report) : report_(std::move(report)) {}

  /// Announces `lines` more lines, which reach from part `begin` of the text to part `end`. Returns the
  /// number of the first of them, from 0.
  std::int64_t expect(std::size_t lines, std::optional<double> begin, std::optional<double> end);
  /// Declares that no more lines come, or that `failure` comes in their place.
  void end(std::exception_ptr failure = nullptr);
  /// Delivers the result of a line.
  void put(std::int64_t line, TranslationResult result);

  /// Waits until at most `lines` lines have not been taken; returns false after stop().
  bool wait_for_capacity(std::size_t lines);
  /// Declares that no results will be taken any more.
  void stop();

  /// Waits for the next line, and takes it and all following lines that are done, in order; none at the end.
  std::vector<TranslationResult> take();
  /// The failure that ended the lines, if any; call it only after the end.
  std::exception_ptr failure() const { return failure_; }
  /// The number of lines in progress.
  std::size_t size() const;
  /// The time, in seconds, during which lines were in progress.
  double seconds() const { return std::chrono::duration<double>(busy_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  /// Lines that were announced together.
  struct Chunk {
    std::int64_t first, count, done;
    std::optional<double> begin, end;
  };

  void count(std::int64_t line);

  ProgressReport report_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::optional<TranslationResult>> results_;  // from line taken_ on
  std::deque<Chunk> chunks_;                              // unfinished chunks
  std::int64_t taken_ = 0, expected_ = 0, done_ = 0;
  std::optional<double> part_ = 0;  // before chunks_
  bool ended_ = false, stopped_ = false;
  std::exception_ptr failure_;
  Clock::time_point busy_since_;
  Clock::duration busy_{0};
};

}  // namespace nmt
