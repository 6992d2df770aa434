// Token-bucketed batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <vector>

#include "data/example.h"
#include "data/parallel_text.h"

namespace nmt {

/// Tokens of a batch, end marks included; padded: as a rectangle as wide as the longest sentence.
struct BatchSize {
  std::int64_t source = 0, target = 0, padded_source = 0, padded_target = 0;
};
BatchSize size_of(const Batch& batch);

/// Cuts examples, in their order, into batches whose padded source and padded target tokens both stay within
/// `budget`; an example that is larger by itself is a batch of its own.
std::vector<Batch> cut(const std::vector<Example>& examples, std::int64_t budget);

/// The same after sorting by length, so that little is padded.
std::vector<Batch> batches_of(std::vector<Example> examples, std::int64_t budget);

struct StreamSettings {
  std::int64_t batch_tokens = 25000;
  std::uint64_t seed = 1;
  std::int64_t pool = 524288;  // most pairs that are sorted together, independent of the budget
};

/// Endless batches for training. The order of the pairs is a permutation keyed by seed and epoch; each pool
/// of consecutive pairs of it (all pools of a pass are of a size) is encoded, filtered, sorted by length, cut
/// into batches, and the batches are shuffled. So the batches are a function of the settings, and (epoch,
/// pool, batches consumed) is the whole state. The next pool is prepared by a thread of its own.
class BatchStream {
 public:
  /// `text` must outlive the stream.
  BatchStream(const ParallelText& text, Encoding encoding, const StreamSettings& settings);
  ~BatchStream();
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  /// The next batch. Throws Error when a whole pass has no pair to offer.
  Batch next();

  /// The pass of the last batch, from 1.
  std::int64_t epoch() const { return epoch_ + 1; }
  /// Passes completed.
  std::int64_t epochs_finished() const;
  /// Passes completed, with the part of the present one.
  double epochs() const;

 private:
  struct Pool {
    std::vector<Batch> batches;
    Dropped dropped;
  };

  Pool make_pool(std::int64_t epoch, std::int64_t number) const;
  void prefetch(std::int64_t epoch, std::int64_t number);
  void next_pool();
  /// Tells, after the first pass, what was left out of it.
  void report_dropped() const;

  const ParallelText& text_;
  Encoding encoding_;
  StreamSettings settings_;
  std::int64_t pools_;  // of a pass
  std::int64_t epoch_ = 0, pool_ = -1;
  std::size_t consumed_ = 0;
  std::int64_t batches_of_pass_ = 0;
  Pool current_;
  Dropped dropped_;
  std::atomic<bool> stopping_ = false;  // lets the thread end early
  std::future<Pool> prefetched_;        // last, so that its destructor, which waits, comes first
};

}  // namespace nmt
