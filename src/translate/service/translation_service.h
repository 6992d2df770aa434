// Translations for whoever asks: requests come at any time, results as they are done.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include "nn/files/saved_model.h"
#include "tensor/workers.h"
#include "translate/scoring/alignment.h"
#include "translate/search/length_limit.h"
#include "translate/service/prioritized_searches.h"
#include "translate/service/request_queue.h"
#include "translate/service/text_divider.h"

namespace nmt {

/// So many tokens, shared out to sources and hypotheses as sentences of usual length need them with these
/// settings.
DecoderCapacity translation_capacity(std::int64_t batch_tokens, const SearchSettings& search);

struct TranslationServiceSettings {
  /// How much each model of an ensemble counts; none: all the same.
  std::vector<double> weights = {};
  /// The most tokens of a text, special tokens not counted; see LengthLimit. TranslationRequest::too_long
  /// says what happens to longer texts, and to texts of more than most_bytes().
  std::optional<std::int64_t> max_length = std::nullopt;
  /// Most tokens that each worker of a device holds at a time, of sources and of their hypotheses, special
  /// tokens counted; and how they are shared out to these (see translation_capacity). A sentence that is more
  /// alone counts as it is.
  std::int64_t batch_tokens = 2048;
  DecoderCapacity capacity = translation_capacity(2048, {});
  /// How requests are aligned that ask for it, or for a coverage penalty; none: they may not ask.
  std::optional<AlignmentSettings> alignment = std::nullopt;
  /// Called before each step of a search, on whichever thread makes it. What it throws is the failure of all
  /// requests that have been submitted by then.
  std::function<void()> before_step = [] {};
  /// Where warnings of text that cannot be what the models expect go (see InputCheck).
  Log* log = &silent_log();
};

/// A model, or an ensemble of models whose vocabularies are equal, on all workers of a device. Requests that
/// are under way at the same time share the steps of a search; what comes of one depends on its text and
/// settings alone. Few of them at a time have the whole device; where there is enough to do, each of its
/// workers has long-lived searches of its own.
class TranslationService {
 public:
  /// Called once for a request, on a thread of the service; must not throw, nor take long.
  using Done = std::function<void(TranslationResult)>;
  /// The same for one of several requests, which is told the place of the request among them.
  using DoneOfMany = std::function<void(std::size_t, TranslationResult)>;

  /// Models lie on the device of `workers`; both must outlive this, and nobody else uses the workers
  /// meanwhile.
  TranslationService(const std::vector<const SavedModel*>& models, Workers& workers,
                     const TranslationServiceSettings& settings);
  /// Gives up all requests that are not done, which then are never.
  ~TranslationService();
  TranslationService(const TranslationService&) = delete;
  TranslationService& operator=(const TranslationService&) = delete;

  // The following are for any thread.

  /// Asks for a translation. Returns a number to cancel it by.
  std::uint64_t submit(TranslationRequest request, Done done);
  /// The same for who waits.
  std::future<TranslationResult> submit(TranslationRequest request);
  /// The same for several, none of which begins before all are there. They share one `done`, which is never
  /// copied, so that memory is linear in the requests whatever it holds.
  std::vector<std::uint64_t> submit(std::vector<TranslationRequest> requests, DoneOfMany done);
  /// Gives up a request. True: its Done has not been called, and will not be.
  bool cancel(std::uint64_t id) { return queue_.cancel(id); }
  /// The same for all that have been submitted.
  void cancel_all() { queue_.cancel_all(); }
  /// What watches the texts of requests. The service warns when no request is left to be done.
  InputCheck& input_check() { return input_check_; }
  /// What divides texts that are too long for its models.
  const TextDivider& divider() const { return divider_; }
  /// What aligns requests; null: nothing does.
  const Aligner* aligner() const { return aligner_ ? &*aligner_ : nullptr; }

 private:
  /// The thread that has the device: waits for requests and has them done.
  void drive();
  /// Has what waits done until nothing does: by the whole device, or by all of its workers.
  void work();
  void work_side_by_side();
  /// The same for the whole device, unless so much comes that workers had better share it.
  void work_as_one();
  /// Does these when nobody else takes memory: together, or half by half. One that is too much alone fails.
  void work_alone(std::vector<JobPtr> jobs);
  bool is_much() const;
  JobPtr job_of(TranslationRequest request, Done done);
  /// Calls Done, unless the request was cancelled.
  void finish(const JobPtr& job);
  void fail(const std::vector<JobPtr>& jobs, const std::exception_ptr& failure);
  /// All that is under way.
  std::vector<JobPtr> strand();

  Ensemble ensemble_;
  std::shared_ptr<const Vocabularies> vocabularies_;  // of requests that have none
  LengthLimit length_limit_;
  TextDivider divider_;
  InputCheck input_check_;
  Workers& workers_;
  TranslationServiceSettings settings_;
  std::optional<Aligner> aligner_;
  SearchParts parts_;
  RequestQueue queue_;
  PrioritizedSearches whole_;
  std::vector<PrioritizedSearches> shares_;
  std::atomic<std::uint64_t> submitted_ = 0;
  std::jthread driver_;
};

}  // namespace nmt
