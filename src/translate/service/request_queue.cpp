#include "translate/service/request_queue.h"

#include <algorithm>
#include <utility>

#include "translate/search/search.h"

namespace nmt {
namespace {

// Estimated bytes of text per token, before it is encoded.
constexpr std::int64_t kBytesOfToken = 4;
// The three symbols of an annotation are a token each.
constexpr std::int64_t kBytesOfAnnotation = 3 * kBytesOfToken;
// A worker takes at most this part of its share of all rows, so that no worker is left alone with the last
// requests, but at least this many rows.
constexpr std::int64_t kLeastTurns = 4;
constexpr std::int64_t kLeastRows = 512;
constexpr std::chrono::seconds kRecent{1};

std::int64_t tokens_of_source(const TranslationRequest& request) {
  std::ptrdiff_t bytes = std::ssize(request.text);
  for (const std::string& sentence : request.context.sentences) bytes += std::ssize(sentence);
  for (const TermAnnotation& annotation : request.annotations)
    bytes += kBytesOfAnnotation + std::ssize(annotation.translation);
  return bytes / kBytesOfToken + 1;
}

/// Returns the estimated tokens of a translation, which begins with its prefix and includes its constraints
/// and terms.
std::int64_t tokens_of_translation(const TranslationRequest& request) {
  std::ptrdiff_t given = std::ssize(request.prefix);
  for (const Alternatives& alternatives : request.constraints) {
    for (const std::string& text : alternatives) given += std::ssize(text);
  }
  for (const FoundTerm& term : request.terms) {
    for (const std::string& text : term.targets) given += std::ssize(text);
  }
  return std::max(tokens_of_source(request), given / kBytesOfToken);
}

}  // namespace

std::int64_t estimated_rows(const TranslationRequest& request) {
  return tokens_of_source(request) + Search::expected_rows(tokens_of_translation(request), *request.search);
}

std::int64_t estimated_work(const TranslationRequest& request) {
  return request.search->width() * std::max(tokens_of_translation(request), request.search->min_length);
}

RequestQueue::Place RequestQueue::place_of(const TranslationJob& job) {
  return {job.request.group, -std::ssize(job.request.text), job.id};
}

bool RequestQueue::has_waiting() const {
  return std::ranges::any_of(levels_, [](const Level& level) { return !level.waiting.empty(); });
}

void RequestQueue::add(std::vector<JobPtr> jobs) {
  const std::lock_guard lock(mutex_);
  for (JobPtr& job : jobs) {
    const Place place = place_of(*job);
    Level& level = level_of(*job);
    if (job->request.priority == Priority::interactive) last_interactive_ = std::chrono::steady_clock::now();
    job->rows = estimated_rows(job->request);
    level.waiting_rows += job->rows;
    places_.emplace(job->id, std::pair(job->request.priority, place));
    level.waiting.emplace(place, std::move(job));
  }
  changed_.notify_all();
}

JobPtr RequestQueue::take(Priority priority, std::int64_t held, std::int64_t workers) {
  const std::lock_guard lock(mutex_);
  Level& level = level_of(priority);
  if (level.waiting.empty()) return nullptr;
  const auto next = level.waiting.begin();
  const std::int64_t rows = next->second->rows;
  if (workers > 1 && held > 0) {
    const std::int64_t share = (level.waiting_rows + level.taken_rows) / workers / kLeastTurns;
    if (held + rows > std::max(share, kLeastRows)) return nullptr;
  }
  JobPtr job = std::move(next->second);
  level.waiting.erase(next);
  places_.erase(job->id);
  taken_.emplace(job->id, job);
  level.waiting_rows -= rows;
  level.taken_rows += rows;
  return job;
}

bool RequestQueue::finish(const TranslationJob& job) {
  const std::lock_guard lock(mutex_);
  taken_.erase(job.id);
  level_of(job).taken_rows -= job.rows;
  return cancelled_.erase(job.id) == 0;
}

bool RequestQueue::cancel(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = places_.find(id); found != places_.end()) {
    Level& level = level_of(found->second.first);
    const auto job = level.waiting.find(found->second.second);
    level.waiting_rows -= job->second->rows;
    level.waiting.erase(job);
    places_.erase(found);
    return true;
  }
  if (!taken_.contains(id) || !cancelled_.insert(id).second) return false;
  ++cancellations_;
  return true;
}

void RequestQueue::cancel_all() {
  const std::lock_guard lock(mutex_);
  for (Level& level : levels_) {
    level.waiting.clear();
    level.waiting_rows = 0;
  }
  places_.clear();
  for (const auto& [id, job] : taken_) cancelled_.insert(id);
  ++cancellations_;
}

bool RequestQueue::is_cancelled(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  return cancelled_.contains(id);
}

std::int64_t RequestQueue::waiting_rows() const {
  std::int64_t rows = 0;
  const std::lock_guard lock(mutex_);
  for (const Level& level : levels_) rows += level.waiting_rows;
  return rows;
}

std::int64_t RequestQueue::waiting_rows(Priority priority) const {
  const std::lock_guard lock(mutex_);
  return levels_.at(static_cast<std::size_t>(priority)).waiting_rows;
}

bool RequestQueue::has_recent_interactive() const {
  const std::lock_guard lock(mutex_);
  return last_interactive_ && std::chrono::steady_clock::now() - *last_interactive_ < kRecent;
}

std::vector<JobPtr> RequestQueue::take_all() {
  const std::lock_guard lock(mutex_);
  for (Level& level : levels_) {
    for (auto& [place, job] : level.waiting) taken_.emplace(job->id, std::move(job));
    level.taken_rows += std::exchange(level.waiting_rows, 0);
    level.waiting.clear();
  }
  places_.clear();
  std::vector<JobPtr> all;
  for (const auto& [id, job] : taken_) all.push_back(job);
  return all;
}

bool RequestQueue::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || has_waiting(); });
  return !closed_;
}

bool RequestQueue::wait_idle(std::int64_t workers) {
  std::unique_lock lock(mutex_);
  const std::uint64_t round = idle_round_;
  if (++idle_ == workers && !has_waiting()) {
    ++idle_round_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return idle_round_ != round || closed_ || interrupted_ || has_waiting(); });
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
