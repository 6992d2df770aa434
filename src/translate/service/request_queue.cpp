#include "translate/service/request_queue.h"

#include <algorithm>
#include <utility>

#include "translate/search/search.h"

namespace nmt {
namespace {

// Bytes of text that are taken for a token before it is encoded.
constexpr std::int64_t kBytesOfToken = 4;
// A worker holds at most this part of its share of all that is to be done, so that none is left alone with
// the last; but so many rows at least.
constexpr std::int64_t kLeastTurns = 4;
constexpr std::int64_t kLeastRows = 512;

}  // namespace

std::int64_t estimated_rows(const TranslationRequest& request) {
  const std::int64_t tokens = std::ssize(request.text) / kBytesOfToken + 1;
  const std::int64_t given = std::ssize(request.prefix) / kBytesOfToken;
  return tokens + Search::expected_rows(std::max(tokens, given), *request.search);
}

RequestQueue::Place RequestQueue::place_of(const TranslationJob& job) {
  return {job.request.group, -std::ssize(job.request.text), job.id};
}

void RequestQueue::add(std::vector<JobPtr> jobs) {
  const std::lock_guard lock(mutex_);
  for (JobPtr& job : jobs) {
    const Place place = place_of(*job);
    job->rows = estimated_rows(job->request);
    waiting_rows_ += job->rows;
    places_.emplace(job->id, place);
    waiting_.emplace(place, std::move(job));
  }
  changed_.notify_all();
}

JobPtr RequestQueue::take(std::int64_t held, std::int64_t workers) {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return nullptr;
  const auto next = waiting_.begin();
  const std::int64_t rows = next->second->rows;
  if (workers > 1 && held > 0) {
    const std::int64_t share = (waiting_rows_ + taken_rows_) / workers / kLeastTurns;
    if (held + rows > std::max(share, kLeastRows)) return nullptr;
  }
  JobPtr job = std::move(next->second);
  waiting_.erase(next);
  places_.erase(job->id);
  taken_.emplace(job->id, job);
  waiting_rows_ -= rows;
  taken_rows_ += rows;
  return job;
}

bool RequestQueue::finish(const TranslationJob& job) {
  const std::lock_guard lock(mutex_);
  taken_.erase(job.id);
  taken_rows_ -= job.rows;
  return cancelled_.erase(job.id) == 0;
}

bool RequestQueue::cancel(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = places_.find(id); found != places_.end()) {
    const auto job = waiting_.find(found->second);
    waiting_rows_ -= job->second->rows;
    waiting_.erase(job);
    places_.erase(found);
    return true;
  }
  if (!taken_.contains(id) || !cancelled_.insert(id).second) return false;
  ++cancellations_;
  return true;
}

void RequestQueue::cancel_all() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  places_.clear();
  waiting_rows_ = 0;
  for (const auto& [id, job] : taken_) cancelled_.insert(id);
  ++cancellations_;
}

bool RequestQueue::is_cancelled(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  return cancelled_.contains(id);
}

std::int64_t RequestQueue::waiting_rows() const {
  const std::lock_guard lock(mutex_);
  return waiting_rows_;
}

std::vector<JobPtr> RequestQueue::take_all() {
  const std::lock_guard lock(mutex_);
  for (auto& [place, job] : waiting_) taken_.emplace(job->id, std::move(job));
  taken_rows_ += std::exchange(waiting_rows_, 0);
  waiting_.clear();
  places_.clear();
  std::vector<JobPtr> all;
  for (const auto& [id, job] : taken_) all.push_back(job);
  return all;
}

bool RequestQueue::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
  return !closed_;
}

bool RequestQueue::wait_idle(std::int64_t workers) {
  std::unique_lock lock(mutex_);
  const std::uint64_t round = idle_round_;
  if (++idle_ == workers && waiting_.empty()) {
    ++idle_round_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return idle_round_ != round || closed_ || interrupted_ || !waiting_.empty(); });
  --idle_;
  return idle_round_ == round && !closed_ && !interrupted_;
}

void RequestQueue::interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_ = true;
  changed_.notify_all();
}

void RequestQueue::resume() {
  const std::lock_guard lock(mutex_);
  interrupted_ = closed_;
}

void RequestQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  interrupted_ = true;
  changed_.notify_all();
}

}  // namespace nmt
