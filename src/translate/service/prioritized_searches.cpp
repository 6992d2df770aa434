#include "translate/service/prioritized_searches.h"

#include <algorithm>
#include <iterator>

namespace nmt {
namespace {

// Interactive requests get this many times the time of background requests.
constexpr int kInteractiveTimes = 4;
// The number of source rows that the background search encodes in a step, which is not more than a step of
// its hypotheses usually has.
constexpr std::int64_t kBackgroundRows = 128;

}  // namespace

PrioritizedSearches::PrioritizedSearches(const SearchParts& parts, RequestQueue& queue)
    : before_step_(parts.settings.before_step),
      queue_(queue),
      interactive_(parts, queue),
      background_(parts, queue, kBackgroundRows) {}

void PrioritizedSearches::run(Worker& worker, const Next& next, const Done& done) {
  for (bool goes_on = true; goes_on;) {
    before_step_();
    if (queue_.is_interrupted()) return;
    const auto begin = Clock::now();
    const bool is_interactive = interactive_.work(
        worker, [&] { return next(Priority::interactive); }, done);
    if (is_interactive) owed_ += (Clock::now() - begin) / kInteractiveTimes;
    goes_on = work_in_background(worker, next, done, !is_interactive) || is_interactive;
  }
  background_.rest();
}

bool PrioritizedSearches::work_in_background(Worker& worker, const Next& next, const Done& done,
                                             bool is_alone) {
  if (!background_.has_search() && queue_.waiting_rows(Priority::background) == 0) {
    owed_ = Clock::duration::zero();
    return false;
  }
  if (!is_alone && owed_ < Clock::duration::zero()) return true;
  const auto begin = Clock::now();
  const bool works = background_.work(
      worker, [&] { return next(Priority::background); }, done);
  // The interactive requests that come next first get their share for the time of this step.
  const Clock::duration before = is_alone ? Clock::duration::zero() : owed_;
  owed_ = works ? before - (Clock::now() - begin) : Clock::duration::zero();
  return works;
}

std::vector<JobPtr> PrioritizedSearches::take_back_jobs() {
  std::vector<JobPtr> jobs = interactive_.take_back_jobs();
  std::ranges::move(background_.take_back_jobs(), std::back_inserter(jobs));
  return jobs;
}

void PrioritizedSearches::rest() {
  interactive_.rest();
  background_.rest();
}

}  // namespace nmt
