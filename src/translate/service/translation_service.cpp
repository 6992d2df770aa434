#include "translate/service/translation_service.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "common/process/side_by_side.h"
#include "translate/scoring/scorer.h"

namespace nmt {

TranslationService::TranslationService(const std::vector<const SavedModel*>& models, Workers& workers,
                                       TranslationSettings settings)
    : settings_(std::move(settings)),
      ensemble_(ensemble_of(models, settings_.weights)),
      vocabularies_(std::make_shared<const Vocabularies>(models[0]->vocabularies)),
      allowed_(std::make_shared<const AllowedTokens>(settings_.allowed)),
      length_limit_(settings_.max_length, ensemble_),
      divider_(length_limit_, vocabularies_),
      workers_(workers),
      aligner_(settings_.alignment
                   ? std::optional<Aligner>(std::in_place, *models[0], workers.device(), *settings_.alignment)
                   : std::nullopt),
      parts_{settings_, ensemble_, length_limit_, input_check_, aligner()},
      whole_(parts_, queue_) {
  if (workers.count() > 1) {
    for (std::int64_t i = 0; i < workers.count(); ++i) shares_.emplace_back(parts_, queue_);
  }
  driver_ = std::jthread([this] { drive(); });
}

TranslationService::~TranslationService() {
  queue_.close();
}

JobPtr TranslationService::job_of(TranslationRequest request, Done done) {
  if (!request.vocabularies) request.vocabularies = vocabularies_;
  if (!request.allowed) request.allowed = allowed_;
  return std::make_shared<TranslationJob>(
      TranslationJob{.id = ++submitted_, .request = std::move(request), .done = std::move(done)});
}

std::uint64_t TranslationService::submit(TranslationRequest request, Done done) {
  JobPtr job = job_of(std::move(request), std::move(done));
  const std::uint64_t id = job->id;
  queue_.add({std::move(job)});
  return id;
}

std::future<TranslationResult> TranslationService::submit(TranslationRequest request) {
  auto promise = std::make_shared<std::promise<TranslationResult>>();
  submit(std::move(request), [promise](TranslationResult result) { promise->set_value(std::move(result)); });
  return promise->get_future();
}

std::vector<std::uint64_t> TranslationService::submit(std::vector<TranslationRequest> requests,
                                                      DoneOfMany done) {
  const auto shared = std::make_shared<const DoneOfMany>(std::move(done));
  std::vector<JobPtr> jobs;
  std::vector<std::uint64_t> ids;
  jobs.reserve(requests.size());
  ids.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    jobs.push_back(job_of(std::move(requests[i]),
                          [shared, i](TranslationResult result) { (*shared)(i, std::move(result)); }));
    ids.push_back(jobs.back()->id);
  }
  queue_.add(std::move(jobs));
  return ids;
}

void TranslationService::drive() {
  while (queue_.wait()) {
    try {
      work();
      input_check_.warn(*settings_.log);
    } catch (...) {
      queue_.resume();
      take_back_jobs();
      fail(queue_.take_all(), std::current_exception());
    }
  }
}

bool TranslationService::is_much() const {
  // Half of the rows are those of hypotheses.
  return !shares_.empty() && queue_.waiting_rows() >= 2 * kLeastShare * std::ssize(shares_);
}

void TranslationService::work() {
  try {
    if (is_much()) {
      work_side_by_side();
    } else {
      work_as_one();
    }
    return;
  } catch (const std::bad_alloc&) {
    // Continue outside of the handler, so that nothing of the attempt is left.
  }
  queue_.resume();
  std::vector<JobPtr> jobs = take_back_jobs();
  if (jobs.empty()) jobs = queue_.take_all();  // even a search without sentences did not fit into memory
  work_alone(std::move(jobs));
}

void TranslationService::work_as_one() {
  for (PrioritizedSearches& share : shares_) share.rest();
  const auto next = [this](Priority priority) -> JobPtr {
    // Interactive requests do not wait for background requests to be done.
    const bool may_begin = priority == Priority::interactive && whole_.held_rows(Priority::background) > 0;
    return is_much() && !may_begin ? nullptr : queue_.take(priority, whole_.held_rows(priority), 1);
  };
  whole_.run(workers_.whole(), next, [this](const JobPtr& job) { finish(job); });
}

void TranslationService::work_side_by_side() {
  whole_.rest();
  const std::int64_t count = std::ssize(shares_);
  workers_.each(shares_.size(), [&](Worker& worker, std::size_t number) {
    PrioritizedSearches& share = shares_[number];
    const auto next = [&](Priority priority) {
      return queue_.take(priority, share.held_rows(priority), count);
    };
    try {
      do {
        share.run(worker, next, [this](const JobPtr& job) { finish(job); });
      } while (queue_.wait_idle(count));
    } catch (...) {
      queue_.interrupt();
      throw;
    }
  });
}

void TranslationService::work_alone(std::vector<JobPtr> jobs) {
  const auto work_together = [this](std::vector<JobPtr>& some) {
    workers_.give_back();
    auto next = some.begin();
    try {
      whole_.run(
          workers_.whole(),
          [&](Priority priority) {
            return priority == Priority::background || next == some.end() ? nullptr : *next++;
          },
          [this](const JobPtr& job) { finish(job); });
      whole_.rest();
    } catch (const std::bad_alloc&) {
      std::vector<JobPtr> left = take_back_jobs();
      left.insert(left.end(), next, some.end());
      some = std::move(left);
      throw;
    }
  };
  std::ranges::sort(jobs, {}, &TranslationJob::id);
  run_in_halves(std::move(jobs), work_together, [this](const JobPtr& job) {
    // A short text that was not even encoded is not the one that needs too much.
    const bool is_to_blame = !job->source.empty() || job->rows > kUsualMaxLength;
    fail({job}, is_to_blame ? std::make_exception_ptr(OutOfMemory(std::ssize(job->source)))
                            : std::make_exception_ptr(std::bad_alloc()));
  });
}

void TranslationService::finish(const JobPtr& job) {
  if (queue_.finish(*job)) job->done(std::move(job->result));
}

void TranslationService::fail(const std::vector<JobPtr>& jobs, const std::exception_ptr& failure) {
  for (const JobPtr& job : jobs) {
    job->result = {.source_tokens = std::ssize(job->source), .failure = failure};
    finish(job);
  }
}

std::vector<JobPtr> TranslationService::take_back_jobs() {
  std::vector<JobPtr> jobs = whole_.take_back_jobs();
  for (PrioritizedSearches& share : shares_)
    std::ranges::move(share.take_back_jobs(), std::back_inserter(jobs));
  return jobs;
}

}  // namespace nmt
