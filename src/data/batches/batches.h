// Token-bucketed batches.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "common/process/job_context.h"
#include "data/batches/pools.h"
#include "data/corpus.h"
#include "data/example.h"

namespace nmt {

/// Tokens of a batch, EOS included, of sources where there are any; padded: as a rectangle as wide as the
/// longest sentence.
struct BatchSize {
  std::int64_t source = 0, target = 0, padded_source = 0, padded_target = 0;

  BatchSize& operator+=(const BatchSize& other);
};
BatchSize size_of(const Batch& batch);

/// Splits examples, in their order, into batches whose padded source and padded target tokens both stay
/// within `budget`; an example that is larger by itself is a batch of its own.
std::vector<Batch> split(std::vector<Example> examples, std::int64_t budget);

/// The same after sorting by length, so that little is padded.
std::vector<Batch> batches_of(std::vector<Example> examples, std::int64_t budget);

struct StreamSettings {
  std::int64_t batch_tokens = 25000;
  std::uint64_t seed = 1;
  std::int64_t pool = 524288;       // most pairs that are sorted together, independent of the budget
  std::int64_t first_pool = 32768;  // those of the first pass grow from this
  std::int64_t delay = 1;           // batches that an update takes together
  int rank = 0, ranks = 1;          // which rank of a run the stream is for, of how many
  JobContext job = {};              // of rank 0
};

/// A place in the endless stream of batches. All counts are from 0.
struct StreamPosition {
  /// Batches taken from a pool that was split with this budget.
  struct Split {
    std::int64_t batch_tokens = 0, consumed = 0;
    bool operator==(const Split&) const = default;
  };

  std::int64_t epoch = 0, pool = 0;
  std::vector<Split> splits;  // of that pool, one after another: each splits what the one before has left

  bool operator==(const StreamPosition&) const = default;
};

/// Endless batches for training. The pairs of each pass are in the order of Corpus::order(); each pool of
/// consecutive pairs of it is read, sorted by length, split into batches, and the batches are shuffled. So
/// the batches are a function of the settings and the position, and a stream that goes on at a position with
/// another budget splits only the rest of the pool: no pair of the pass is repeated or left out. An update
/// takes one batch, or several together, but ends with the pass at the latest. Each rank of a run has a
/// stream and gets its share of every update; positions are the same for any number of ranks.
///
/// The next pool is prepared by a thread of its own. Nothing but the very first has to be waited for if each
/// lasts while the next is prepared; so the pools of the first pass begin small and grow (see Pools), and
/// those of each later pass are of a size.
class BatchStream {
 public:
  /// `corpus` must outlive the stream. Throws Error when it is empty.
  BatchStream(const Corpus& corpus, const StreamSettings& settings, StreamPosition start = {});
  ~BatchStream();
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  /// The rank's share of the next update. Throws Error when a whole pass has no pair to offer; on rank 0
  /// Interrupted when it is to end while it has to be waited for, after which everything is as it was.
  /// The others get what rank 0 got.
  Batch next();
  /// The last update is not made: position() and epochs() are those before it. The stream gives no more.
  void take_back() { begun_ = before_; }
  /// The size of the last update, all ranks together: the sum of those of its batches.
  const BatchSize& size() const { return size_; }
  /// How many updates a whole pass has, judged by the pool of the next one. Throws as next() does.
  double updates_per_pass();

  /// Where a stream has to start to give what this one would give next.
  const StreamPosition& position() const { return begun_ ? begun_->start : position_; }
  /// The pass of the last update, from 1.
  std::int64_t epoch() const { return position_.epoch + 1; }
  /// Passes completed.
  std::int64_t epochs_finished() const;
  /// Passes completed, with the part of the present one.
  double epochs() const;
  /// Seconds that were waited for pools, the first one included, since this was last asked.
  double take_seconds_waited() { return std::exchange(seconds_waited_, 0); }

 private:
  struct PartOfBatch {
    Batch share;
    BatchSize size;  // of the whole batch, as below
    std::size_t pairs = 0;
  };
  /// An update of which some batches were taken, while others are waited for.
  struct Begun {
    StreamPosition start;
    double epochs = 0;  // before it
    Batch share;
    BatchSize size;
    std::int64_t batches = 0;
  };
  struct Pool {
    std::vector<PartOfBatch> batches;       // those left to take, the next one last
    std::size_t pairs = 0, pairs_left = 0;  // in all; in `batches`
    std::size_t split_pairs = 0,
                split_batches = 0;  // that the present budget has split; into so many batches
    Dropped dropped;
  };

  /// Partitions batches, the next one last, among the ranks, all but so many that were taken from them.
  void partition_over_ranks(std::vector<Batch> batches, std::int64_t taken, Pool& pool) const;
  /// The pool at a position, without what was taken from it.
  Pool make_pool(const StreamPosition& position) const;
  void prefetch(StreamPosition position);
  /// Waits for the prefetched pool.
  void wait();
  /// Takes the prefetched pool, which is the one at position_.
  void open_pool();
  void next_pool();
  /// Goes on to the next pool that has a batch, unless the present one has.
  void find_batch();
  /// Takes the next batch, which find_batch() has found.
  void take_batch();
  bool pass_is_complete() const;
  const Pools& pools(std::int64_t epoch) const { return epoch == 0 ? first_pass_ : later_pass_; }
  /// The pools of the present pass.
  const Pools& pools() const { return pools(position_.epoch); }
  /// The beginning of the next pool.
  StreamPosition after(const StreamPosition& position) const;
  /// Tells, after the first pass, what was left out of it.
  void report_dropped() const;

  const Corpus& corpus_;
  StreamSettings settings_;
  Pools first_pass_, later_pass_;
  StreamPosition position_;
  bool started_ = false, whole_pass_ = true;  // whether the present pass was seen from its beginning
  std::size_t pairs_of_pass_ = 0;
  Pool current_;
  std::optional<Begun> begun_;
  Begun before_;  // the last update, without what it has
  BatchSize size_;
  Dropped dropped_;
  double seconds_waited_ = 0;
  std::atomic<bool> stopping_ = false;  // lets the thread end early
  std::future<Pool> prefetched_;        // last, so that its destructor, which waits, comes first
};

}  // namespace nmt
