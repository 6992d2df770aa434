#include "serve/documents/document_store.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <map>
#include <utility>

#include "common/text/spelling.h"
#include "engine/json_result.h"
#include "serve/clients/api_keys.h"
#include "serve/random_id.h"

namespace nmt {
namespace {

constexpr int kDone = 200, kFailed = 422, kCancelled = 499;
constexpr std::chrono::seconds kLongestWait{1};  // before a thread looks for documents that may go on

/// Returns the name of the translation of a document: "report.de.docx".
std::string name_of_translation(const SentDocument& document) {
  const std::size_t dot = document.name.rfind('.');
  const bool has_extension = dot != std::string::npos && dot > 0;
  const std::string extension = document.as_tmx ? "tmx"
                                : has_extension ? document.name.substr(dot + 1)
                                                : std::string(document.format->extensions.front());
  return fmt::format("{}.{}.{}", document.name.substr(0, has_extension ? dot : std::string::npos),
                     document.target.empty() ? "translated" : document.target, extension);
}

}  // namespace

struct DocumentStore::Job {
  SentDocument document;  // without its bytes when it has ended
  Ended ended;
  std::string id = random_id(), key = random_id();
  DocumentState state = DocumentState::queued;
  std::shared_ptr<DocumentProgress> progress = std::make_shared<DocumentProgress>();
  std::stop_source stop = {};
  std::shared_ptr<const MemoryMap> result = nullptr;
  std::string error = {}, expires = {};
  int failure = 0;
  Clock::time_point earliest = {}, begin = {};  // when it may begin, and begins
  Clock::time_point deadline = Clock::time_point::max();
};

DocumentStore::DocumentStore(Translate translate, std::function<void(const AccessEntry&)> log,
                             DocumentLimits limits)
    : translate_(std::move(translate)), log_(std::move(log)), limits_(limits) {}

DocumentStore::~DocumentStore() {
  for (std::jthread& thread : threads_) thread.request_stop();
  {
    const std::lock_guard lock(mutex_);
    for (const JobPtr& job : jobs_) job->stop.request_stop();
  }
  threads_.clear();
}

DocumentStatus DocumentStore::add(SentDocument document, Ended ended) {
  const std::lock_guard lock(mutex_);
  const auto of_owner =
      std::ranges::count_if(jobs_, [&](const JobPtr& job) { return job->document.owner == document.owner; });
  if (std::cmp_greater_equal(of_owner, limits_.of_owner))
    throw LimitReached(0, "there are {} documents already; delete one, or wait until one expires", of_owner);
  if (jobs_.size() >= limits_.in_total)
    throw LimitReached(0, "the server has too many documents; try again later");
  jobs_.push_back(std::make_shared<Job>(Job{.document = std::move(document), .ended = std::move(ended)}));
  if (std::cmp_less(threads_.size(), std::ranges::count(jobs_, Clock::time_point::max(), &Job::deadline)))
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  changed_.notify_one();
  return status_of(*jobs_.back());
}

DocumentStore::JobPtr DocumentStore::take_next() {
  const auto now = Clock::now();
  std::map<std::string, std::size_t> under_way;  // by client
  for (const JobPtr& job : jobs_) {
    if (job->state == DocumentState::translating) ++under_way[job->document.client];
  }
  const auto next_job = std::ranges::find_if(jobs_, [&](const JobPtr& job) {
    return job->state == DocumentState::queued && job->earliest <= now &&
           under_way[job->document.client] < limits_.at_once;
  });
  if (next_job == jobs_.end()) return nullptr;
  const JobPtr& next = *next_job;
  next->state = DocumentState::translating;
  next->begin = now;
  return next;
}

void DocumentStore::postpone(Job& job, std::chrono::seconds time) {
  const std::lock_guard lock(mutex_);
  job.state = DocumentState::queued;
  job.earliest = Clock::now() + time;
}

void DocumentStore::work(const std::stop_token& stop) {
  for (;;) {
    JobPtr job;
    {
      std::unique_lock lock(mutex_);
      while (!job && !stop.stop_requested())
        changed_.wait_for(lock, stop, kLongestWait, [&] { return (job = take_next()) != nullptr; });
      if (stop.stop_requested()) return;
    }
    translate(*job);
  }
}

void DocumentStore::translate(Job& job) {
  int status = kDone;
  try {
    auto result =
        std::make_shared<const MemoryMap>(translate_(job.document, job.progress, job.stop.get_token()));
    const std::lock_guard lock(mutex_);
    job.result = std::move(result);
  } catch (const LimitReached& limit) {
    if (!job.stop.stop_requested()) return postpone(job, std::chrono::seconds(limit.retry_after()));
    status = kCancelled;
  } catch (const CallError& error) {
    status = failed(job, error.status());
  } catch (const std::exception&) {
    status = failed(job, kFailed);
  }
  end(job, status);
}

int DocumentStore::failed(Job& job, int status) {
  const std::lock_guard lock(mutex_);
  job.error = with_fields(message_of(std::current_exception()));
  job.failure = job.stop.stop_requested() ? kCancelled : status;
  return job.failure;
}

void DocumentStore::end(Job& job, int status) {
  AccessEntry entry;
  {
    const std::lock_guard lock(mutex_);
    job.state = status == kDone ? DocumentState::done : DocumentState::failed;
    job.deadline = Clock::now() + limits_.lifetime;
    job.expires = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr) + limits_.lifetime.count()));
    job.document.bytes = {};
    job.document.file = nullptr;
    entry = job.document.entry;
    entry.bytes = job.result ? job.result->size() : 0;
    entry.request = job.progress->figures;
    entry.request.interface = "document";
    entry.request.status = status;
    entry.request.seconds = std::chrono::duration<double>(Clock::now() - job.begin).count();
  }
  log_(entry);
  if (job.ended) job.ended();
}

DocumentStatus DocumentStore::status_of(const Job& job) const {
  const std::int64_t bytes = job.progress->bytes, translated = job.progress->translated_bytes;
  const bool has_begun = job.state != DocumentState::queued;
  constexpr double kMostBeforeTheEnd = 0.99;  // only a document that is done is complete
  const double share = bytes > 0 ? static_cast<double>(translated) / static_cast<double>(bytes) : 0;
  return {.id = job.id,
          .key = job.key,
          .name = job.document.name,
          .state = job.state,
          .characters = job.progress->characters,
          .progress = job.state == DocumentState::done ? 1 : std::min(share, kMostBeforeTheEnd),
          .seconds = has_begun ? std::chrono::duration<double>(Clock::now() - job.begin).count() : 0,
          .error = job.error,
          .failure = job.failure,
          .expires = job.expires};
}

const DocumentStore::JobPtr& DocumentStore::found(const std::string& owner, const std::string& id) const {
  const auto job = std::ranges::find_if(
      jobs_, [&](const JobPtr& each) { return each->id == id && each->document.owner == owner; });
  if (job == jobs_.end()) throw CallError(404, "unknown document {}", quoted(id));
  return *job;
}

DocumentStatus DocumentStore::status(const std::string& owner, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return status_of(*found(owner, id));
}

TranslatedDocument DocumentStore::result(const std::string& owner, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  return result_of(*found(owner, id));
}

TranslatedDocument DocumentStore::shared_result(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto job = std::ranges::find_if(
      jobs_, [&](const JobPtr& each) { return each->document.is_shared && each->key == key; });
  if (job == jobs_.end()) throw CallError(404, "unknown document {}", quoted(key));
  return result_of(**job);
}

TranslatedDocument DocumentStore::result_of(const Job& job) {
  if (job.state == DocumentState::failed)
    throw CallError(409, "the document is not translated: {}", job.error);
  if (!job.result) throw CallError(409, "the document is not translated yet");
  return {
      .name = name_of_translation(job.document),
      .type = job.document.as_tmx ? "application/x-tmx+xml" : std::string(job.document.format->media_type),
      .file = job.result};
}

void DocumentStore::remove(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const JobPtr job = found(owner, id);
  job->stop.request_stop();
  std::erase(jobs_, job);
}

void DocumentStore::drop(const std::string& owner, const std::string& id) {
  try {
    remove(owner, id);
  } catch (const CallError&) {
  }
}

void DocumentStore::cancel() {
  const std::lock_guard lock(mutex_);
  for (const JobPtr& job : jobs_) {
    if (!job->document.is_shared) job->stop.request_stop();
  }
}

std::vector<DocumentStatus> DocumentStore::list(const std::string& owner) const {
  const std::lock_guard lock(mutex_);
  std::vector<DocumentStatus> documents;
  for (const JobPtr& job : jobs_) {
    if (job->document.owner == owner) documents.push_back(status_of(*job));
  }
  return documents;
}

std::int64_t DocumentStore::under_way() const {
  const std::lock_guard lock(mutex_);
  return std::ranges::count(jobs_, Clock::time_point::max(), &Job::deadline);
}

void DocumentStore::expire(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  std::erase_if(jobs_, [now](const JobPtr& job) { return job->deadline <= now; });
}

}  // namespace nmt
