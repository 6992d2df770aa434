// The searches of a worker, one for each priority.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "tensor/workers.h"
#include "translate/service/search_worker.h"

namespace nmt {

/// Searches for interactive requests and for background requests, which therefore never share a step: a
/// background request, however many hypotheses and tokens it has, makes an interactive one wait for one of
/// its steps and then takes a small share of the time. Where there is only one kind of request, it has all of
/// the time.
class PrioritizedSearches {
 public:
  /// Where requests of a priority come from: the next one, or nothing at present.
  using Next = std::function<JobPtr(Priority)>;
  using Done = SearchWorker::Done;

  PrioritizedSearches(const SearchParts& parts, RequestQueue& queue);

  /// Takes requests and translates them until there is none and all that it has are done, or until the queue
  /// is interrupted. Throws what SearchWorker::work() and parts.before_step throw; what was under way is
  /// still there then.
  void run(Worker& worker, const Next& next, const Done& done);

  /// Rows (TranslationJob::rows) of what is under way of a priority.
  std::int64_t held_rows(Priority priority) const {
    return (priority == Priority::interactive ? interactive_ : background_).held_rows();
  }
  /// Takes out what is under way, in no order, and gives back the memory of the searches.
  std::vector<JobPtr> strand();
  /// Gives back the memory of the searches, in which nothing is under way.
  void rest();

 private:
  using Clock = std::chrono::steady_clock;

  /// A round of the background search, unless it has had its share of the time. False: it has nothing to do.
  bool work_in_background(Worker& worker, const Next& next, const Done& done, bool is_alone);

  const std::function<void()>& before_step_;
  RequestQueue& queue_;
  SearchWorker interactive_, background_;
  Clock::duration owed_{0};  // to the background; negative: it has had more than its share
};

}  // namespace nmt
