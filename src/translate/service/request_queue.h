// Requests that wait for a worker.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
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

/// Estimates the rows of sources and hypotheses of a request, from the bytes of its text.
std::int64_t estimated_rows(const TranslationRequest& request);
/// Estimates the number of tokens that the search of a request computes, over all hypotheses.
std::int64_t estimated_work(const TranslationRequest& request);

/// Gives the requests of each priority to workers, so that their steps stay full. Lower groups come first. In
/// a group the longest requests come first, so that the last ones are short. No worker takes so many of the
/// last requests that others get none. All functions are thread-safe.
class RequestQueue {
 public:
  /// Adds requests. No worker takes one of them before all are added.
  void add(std::vector<JobPtr> jobs);
  /// Returns the next request of a priority for one of `workers` workers, which already processes `held` rows
  /// (TranslationJob::rows) of this priority. Returns nothing if no request waits, or if the remaining ones
  /// are for other workers.
  JobPtr take(Priority priority, std::int64_t held, std::int64_t workers);
  /// Marks a taken request as done; returns false if it was cancelled.
  bool finish(const TranslationJob& job);
  /// Removes a waiting request, or marks a taken one as cancelled. Returns false if it is done or unknown.
  bool cancel(std::uint64_t id);
  /// Cancels all requests that are not done.
  void cancel_all();
  /// Whether a taken request was cancelled.
  bool is_cancelled(std::uint64_t id) const;
  /// The number of cancellations of taken requests so far. A worker checks its requests when it changes.
  std::int64_t cancellations() const { return cancellations_; }

  /// The rows of all waiting requests, and of those of a priority.
  std::int64_t waiting_rows() const;
  std::int64_t waiting_rows(Priority priority) const;
  /// Whether an interactive request has come within the last second, so that another one is likely to come.
  bool has_recent_interactive() const;
  /// Removes all waiting requests, and returns all that were taken so far and are not done.
  std::vector<JobPtr> take_all();

  /// Waits for a request; returns false if the queue was closed.
  bool wait();
  /// Waits until a request comes, then returns true, for a worker that has nothing to do. Returns false to
  /// all workers when all of them wait like this, or after interrupt().
  bool wait_idle(std::int64_t workers);
  /// Ends and prevents wait_idle(), until resume().
  void interrupt();
  void resume();
  bool is_interrupted() const { return interrupted_; }
  /// Interrupts permanently.
  void close();

 private:
  /// Group, bytes of the text in descending order, order of arrival.
  using Place = std::tuple<std::int64_t, std::int64_t, std::uint64_t>;
  static Place place_of(const TranslationJob& job);

  /// The waiting requests of a priority, their rows, and the rows of taken requests.
  struct Level {
    std::map<Place, JobPtr> waiting = {};
    std::int64_t waiting_rows = 0, taken_rows = 0;
  };
  Level& level_of(const TranslationJob& job) { return level_of(job.request.priority); }
  Level& level_of(Priority priority) { return levels_.at(static_cast<std::size_t>(priority)); }
  /// Whether a request waits. The caller must hold the lock.
  bool has_waiting() const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Level, kPriorities> levels_;
  std::map<std::uint64_t, std::pair<Priority, Place>> places_;  // of waiting requests
  std::map<std::uint64_t, JobPtr> taken_;
  std::set<std::uint64_t> cancelled_;                                      // of taken requests
  std::optional<std::chrono::steady_clock::time_point> last_interactive_;  // when the last one came
  std::int64_t idle_ = 0;
  std::uint64_t idle_round_ = 0;
  bool closed_ = false;
  std::atomic<bool> interrupted_ = false;
  std::atomic<std::int64_t> cancellations_ = 0;
};

}  // namespace nmt
