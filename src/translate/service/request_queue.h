// Requests that wait for a worker.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "translate/service/translation_request.h"

namespace nmt {

/// About how many rows of sources and hypotheses a request takes, told by the bytes of its text.
std::int64_t estimated_rows(const TranslationRequest& request);
/// About how many tokens the search of a request computes, those of all hypotheses together.
std::int64_t estimated_work(const TranslationRequest& request);

/// Hands out the requests of each priority to workers so that their steps stay full: lower groups first, of
/// one group the longest first, so that the last to be left alone are short; and none takes so many of the
/// last ones that others are left without. All functions are for any thread.
class RequestQueue {
 public:
  /// Adds requests, of which no worker takes one before all are there.
  void add(std::vector<JobPtr> jobs);
  /// The next request of a priority for one of so many workers, which already holds `held` rows
  /// (TranslationJob::rows) of this priority; nothing where there is none, or where the rest is for others.
  JobPtr take(Priority priority, std::int64_t held, std::int64_t workers);
  /// One that was taken is done; false: nobody wants it any more.
  bool finish(const TranslationJob& job);
  /// Takes out one that waits; of one that was taken, remembers that nobody wants it any more. False: it is
  /// done, or unknown.
  bool cancel(std::uint64_t id);
  /// Nobody wants any of those that are not done.
  void cancel_all();
  /// Whether nobody wants a request that was taken.
  bool is_cancelled(std::uint64_t id) const;
  /// Cancellations of requests that had been taken, so far: a worker looks at its own when it changes.
  std::int64_t cancellations() const { return cancellations_; }

  /// Rows of all that waits, and of what waits of a priority.
  std::int64_t waiting_rows() const;
  std::int64_t waiting_rows(Priority priority) const;
  /// Takes all that waits; returns all that were taken so far and are not done.
  std::vector<JobPtr> take_all();

  /// Waits for a request; false: the queue was closed.
  bool wait();
  /// For a worker that has nothing to do: waits until a request comes, then returns true; or, when as many
  /// wait so as there are workers, or interrupt() was called, returns false to all of them.
  bool wait_idle(std::int64_t workers);
  /// Ends and prevents wait_idle(), until resume().
  void interrupt();
  void resume();
  bool is_interrupted() const { return interrupted_; }
  /// Interrupts for good.
  void close();

 private:
  /// Group, bytes of the text in falling order, order of arrival.
  using Place = std::tuple<std::int64_t, std::int64_t, std::uint64_t>;
  static Place place_of(const TranslationJob& job);

  /// The requests of a priority that wait, and the rows of these and of those that were taken.
  struct Level {
    std::map<Place, JobPtr> waiting = {};
    std::int64_t waiting_rows = 0, taken_rows = 0;
  };
  Level& level_of(const TranslationJob& job) { return level_of(job.request.priority); }
  Level& level_of(Priority priority) { return levels_.at(static_cast<std::size_t>(priority)); }
  /// Whether a request waits, under the lock.
  bool has_waiting() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Level, kPriorities> levels_;
  std::map<std::uint64_t, std::pair<Priority, Place>> places_;  // of those that wait
  std::map<std::uint64_t, JobPtr> taken_;
  std::set<std::uint64_t> cancelled_;  // of these
  std::int64_t idle_ = 0;
  std::uint64_t idle_round_ = 0;
  bool closed_ = false;
  std::atomic<bool> interrupted_ = false;
  std::atomic<std::int64_t> cancellations_ = 0;
};

}  // namespace nmt
