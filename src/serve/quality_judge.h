// Estimates the quality of translations, for all requests to a server together.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "serve/recent_values.h"
#include "translate/quality/quality_metric.h"
#include "translate/service/translation_request.h"

namespace nmt {

/// Judges sentences on a thread of its own, so that searches continue. Sentences of many requests are judged
/// together. Requests take turns, so that a short one does not wait for all sentences of a long one.
class QualityJudge {
 public:
  /// The result for a sentence.
  struct Work {
    /// Its translations have one of Translation::sentences each, or none if they are not to be judged.
    TranslationResult result;
    const void* request = nullptr;  // anything that distinguishes requests
    /// Whether the request still waits; called on the thread of the judge.
    std::function<bool()> is_wanted;
    /// Called with the result on the thread of the judge, unless it is not wanted. If the metric throws, its
    /// exception is the failure of the result. Must not throw.
    std::function<void(TranslationResult)> done;
  };

  /// `metric` must not need references; only the thread of the judge uses it. `capacity`: the number of
  /// estimates to keep.
  QualityJudge(std::shared_ptr<const QualityMetric> metric, std::size_t capacity);
  /// Drops pending work, which is never done.
  ~QualityJudge();
  QualityJudge(const QualityJudge&) = delete;
  QualityJudge& operator=(const QualityJudge&) = delete;

  /// Adds work, and returns at once. Thread-safe.
  void add(Work work);

 private:
  /// The work of a request.
  struct Queue {
    const void* request;
    std::deque<Work> works;
  };

  void work(const std::stop_token& stop);
  /// Removes and returns the next works; the caller must hold the lock.
  std::vector<Work> next();
  /// Sets the quality of all sentences. Throws what the metric throws.
  void judge(std::span<Work> works, const std::stop_token& stop);
  /// Judges works together or, if that fails, one by one.
  void judge_or_fail(std::span<Work> works, const std::stop_token& stop);

  std::shared_ptr<const QualityMetric> metric_;
  RecentValues<double> estimates_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Queue> queues_;  // the next one first
  std::jthread thread_;
};

}  // namespace nmt
