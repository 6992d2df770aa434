// Results of lines, which come in any order and go out in that of the lines.
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

/// Lines on their way: one thread tells which there are, others bring results, and one takes them in order.
class OrderedResults {
 public:
  /// `report` is told how many lines are done, in any order, and which part of the text that is.
  explicit OrderedResults(ProgressReport report) : report_(std::move(report)) {}

  /// So many lines more are on their way, which reach from part `begin` of the text to part `end`. Returns
  /// the number of the first of them, counted from 0.
  std::int64_t expect(std::size_t lines, std::optional<double> begin, std::optional<double> end);
  /// No more lines come, or `failure` in their place.
  void end(std::exception_ptr failure = nullptr);
  /// Brings what came of a line.
  void put(std::int64_t line, TranslationResult result);

  /// Waits until at most so many lines have not been taken; false: nobody takes them any more.
  bool wait_for_capacity(std::size_t lines);
  /// Nobody takes them any more.
  void stop();

  /// Waits for the next line and takes all that are next and done; none: the end. In order.
  std::vector<TranslationResult> take();
  /// What came in the place of further lines; after the end.
  std::exception_ptr failure() const { return failure_; }
  /// How many are on their way.
  std::size_t size() const;
  /// While lines were on their way.
  double seconds() const { return std::chrono::duration<double>(busy_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  /// Lines that were told of together.
  struct Chunk {
    std::int64_t first, count, done;
    std::optional<double> begin, end;
  };

  void count(std::int64_t line);

  ProgressReport report_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::optional<TranslationResult>> results_;  // from line taken_ on
  std::deque<Chunk> chunks_;                              // those that are not done
  std::int64_t taken_ = 0, expected_ = 0, done_ = 0;
  std::optional<double> part_ = 0;  // before chunks_
  bool ended_ = false, stopped_ = false;
  std::exception_ptr failure_;
  Clock::time_point busy_since_;
  Clock::duration busy_{0};
};

}  // namespace nmt
