// The searches of a worker, one for each priority.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "tensor/workers.h"
#include "translate/service/search_worker.h"

namespace nmt {

/// Searches for interactive and for background requests, which never share a step. A background request,
/// however many hypotheses and tokens it has, thus delays an interactive one by at most one of its steps, and
/// then takes a small share of the time. If there is only one kind of request, it gets all of the time.
class PrioritizedSearches {
 public:
  /// Returns the next request of a priority, or nothing if there is none at present.
  using Next = std::function<JobPtr(Priority)>;
  using Done = SearchWorker::Done;

  PrioritizedSearches(const SearchParts& parts, RequestQueue& queue);

  /// Takes requests and translates them until there are none left and all are done, or until the queue is
  /// interrupted. Throws what SearchWorker::work() and TranslationSettings::before_step throw; requests in
  /// progress are kept then.
  void run(Worker& worker, const Next& next, const Done& done);

  /// Returns the rows (TranslationJob::rows) of the requests of a priority that are in progress.
  std::int64_t held_rows(Priority priority) const {
    return (priority == Priority::interactive ? interactive_ : background_).held_rows();
  }
  /// Removes and returns the requests in progress, in any order, and frees the memory of the searches.
  std::vector<JobPtr> take_back_jobs();
  /// Frees the memory of the searches, which must have no requests in progress.
  void rest();

 private:
  using Clock = std::chrono::steady_clock;

  /// Does a round of the background search, unless it has had its share of the time. Returns false if it has
  /// nothing to do.
  bool work_in_background(Worker& worker, const Next& next, const Done& done, bool is_alone);

  const std::function<void()>& before_step_;
  RequestQueue& queue_;
  SearchWorker interactive_, background_;
  Clock::duration owed_{0};  // to the background; negative: it has had more than its share
};

}  // namespace nmt
