// A service that translates texts: requests may come at any time, and each gets its result when it is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "nn/saved/saved_model.h"
#include "tensor/workers.h"
#include "translate/scoring/alignment.h"
#include "translate/search/length_limit.h"
#include "translate/service/request_queue.h"
#include "translate/service/search_worker.h"
#include "translate/service/text_divider.h"
#include "translate/service/translation_settings.h"

namespace nmt {

/// Translates with a model, or an ensemble of models whose vocabularies are equal, on all workers of a
/// device. Concurrent requests share the steps of a search; the result of a request depends only on its text
/// and settings. A few requests get the whole device; if there are more, each worker of the device has
/// long-lived searches of its own.
class TranslationService {
 public:
  /// Called once for a request, on a thread of the service; must not throw or take long.
  using Done = std::function<void(TranslationResult)>;
  /// Called once for each of several requests, with the position of the request among them.
  using DoneOfMany = std::function<void(std::size_t, TranslationResult)>;

  /// Models must be on the device of `workers`. Both must outlive this object, and nobody else may use the
  /// workers.
  TranslationService(const std::vector<const SavedModel*>& models, Workers& workers,
                     TranslationSettings settings);
  /// Cancels pending requests; their callbacks never run.
  ~TranslationService();
  TranslationService(const TranslationService&) = delete;
  TranslationService& operator=(const TranslationService&) = delete;

  // The following are thread-safe.

  /// Requests a translation. Returns an id to cancel it with.
  std::uint64_t submit(TranslationRequest request, Done done);
  /// Requests a translation, for a caller that waits for it.
  std::future<TranslationResult> submit(TranslationRequest request);
  /// Requests several translations, none of which begins before all are submitted. They share `done`, which
  /// is never copied, so that memory is linear in the number of requests.
  std::vector<std::uint64_t> submit(std::vector<TranslationRequest> requests, DoneOfMany done);
  /// Cancels a request. Returns true if its callback has not been called and will not be.
  bool cancel(std::uint64_t id) { return queue_.cancel(id); }
  /// Cancels all requests that were submitted.
  void cancel_all() { queue_.cancel_all(); }
  /// The check of the texts of requests. The service logs its warnings when all requests are done.
  InputCheck& input_check() { return input_check_; }
  /// The divider of texts that are too long for the models.
  const TextDivider& divider() const { return divider_; }
  const TranslationSettings& settings() const { return settings_; }
  /// The number of tokens that all workers together process at a time.
  std::int64_t tokens_at_a_time() const { return settings_.batch_tokens * workers_.count(); }
  /// See RequestQueue.
  bool has_recent_interactive() const { return queue_.has_recent_interactive(); }
  /// The limit of the texts of requests.
  const LengthLimit& length_limit() const { return length_limit_; }
  /// The aligner of translations; null if there is none.
  const Aligner* aligner() const { return aligner_ ? &*aligner_ : nullptr; }

 private:
  /// Runs on the thread that owns the device: waits for requests and processes them.
  void drive();
  /// Processes waiting requests until there are none: with the whole device, or with all of its workers.
  void work();
  void work_side_by_side();
  /// Processes waiting requests with the whole device, unless there are enough of them for workers to share
  /// it.
  void work_as_one();
  /// Processes jobs while nothing else takes memory: together, or one half after the other. A job that needs
  /// too much alone fails.
  void work_alone(std::vector<JobPtr> jobs);
  bool is_much() const;
  JobPtr job_of(TranslationRequest request, Done done);
  /// Calls the callback of a job, unless it was cancelled.
  void finish(const JobPtr& job);
  void fail(const std::vector<JobPtr>& jobs, const std::exception_ptr& failure);
  /// Removes and returns all requests in progress.
  std::vector<JobPtr> take_back_jobs();

  TranslationSettings settings_;
  Ensemble ensemble_;
  // For requests that do not bring their own.
  std::shared_ptr<const Vocabularies> vocabularies_;
  std::shared_ptr<const AllowedTokens> allowed_;
  LengthLimit length_limit_;
  TextDivider divider_;
  InputCheck input_check_;
  Workers& workers_;
  std::optional<Aligner> aligner_;
  SearchParts parts_;
  RequestQueue queue_;
  PrioritizedSearches whole_;
  std::vector<PrioritizedSearches> shares_;
  std::atomic<std::uint64_t> submitted_ = 0;
  std::jthread driver_;
};

}  // namespace nmt
