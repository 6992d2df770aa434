// Batches of bounded size in tokens, made of pairs of similar length, and their parts for ranks and
// devices.
#pragma once

#include <atomic>
#include <cstdint>
#include <future>
#include <optional>
#include <utility>
#include <vector>

#include "common/job_context.h"
#include "data/batches/example_order.h"
#include "data/corpus.h"
#include "data/example.h"

namespace nmt {

/// Partitions the examples of a batch into `count` parts with nearly equal numbers of source and target
/// tokens; each part keeps the order of the batch. From the longest to the shortest, each example goes to the
/// part with the fewest tokens so far (Graham, 1969).
std::vector<Batch> partition(Batch batch, int count);

/// Partitions one of several batches that are computed one after another. `tokens` has one entry per part,
/// the number of its tokens so far, to which those of this batch are added.
std::vector<Batch> partition(Batch batch, std::vector<std::int64_t>& tokens);

/// Numbers of tokens of a batch, EOS included; source counts are 0 without sources. Padded counts are those
/// of a rectangle as wide as the longest sentence.
struct BatchSize {
  std::int64_t source = 0, target = 0, padded_source = 0, padded_target = 0, pairs = 0;

  BatchSize& operator+=(const BatchSize& other);
};
BatchSize size_of(const Batch& batch);

/// Splits examples in order into batches whose padded source and padded target tokens both stay within
/// `budget`; a larger example is a batch of its own.
std::vector<Batch> split(std::vector<Example> examples, std::int64_t budget);

/// Sorts examples by length, to save padding, and splits them into batches as split() does.
std::vector<Batch> batches_of(std::vector<Example> examples, std::int64_t budget);

struct StreamSettings {
  std::int64_t batch_tokens = 25000;
  std::uint64_t seed = 1;
  std::int64_t pool = 524288;       // maximum number of pairs sorted together, independent of the budget
  std::int64_t first_pool = 32768;  // size from which the pools of the first pass grow
  std::int64_t delay = 1;           // batches per update
  int rank = 0, ranks = 1;          // rank of a run that reads the stream, and number of ranks
  JobContext job = {};              // used by rank 0
};

/// A place in the endless stream of batches. All counts start at 0.
struct StreamPosition {
  /// Batches taken from a pool that was split with this budget.
  struct Split {
    std::int64_t batch_tokens = 0, consumed = 0;
    bool operator==(const Split&) const = default;
  };

  std::int64_t epoch = 0, pool = 0;
  std::vector<Split> splits;  // of that pool in order; each splits what the previous one left

  bool operator==(const StreamPosition&) const = default;
};

/// An endless stream of batches for training. The pairs of each pass are in the order of Corpus::order().
/// Each pool of consecutive pairs is read, sorted by length and split into batches, which are shuffled. So
/// the batches are a function of settings and position. A stream that continues at a position with another
/// budget splits only the rest of the pool, so that no pair of the pass is repeated or left out. An update
/// takes one or several batches, but never reaches beyond the end of a pass. Each rank of a run has a stream,
/// which returns its share of every update; positions do not depend on the number of ranks.
///
/// A thread prepares the next pool. If each pool lasts as long as the next one takes to prepare, only the
/// very first one causes a wait. Therefore the pools of the first pass start small and grow (see Pools). The
/// pools of later passes have equal sizes.
class BatchStream {
 public:
  /// `corpus` must outlive the stream. Throws Error if the corpus is empty.
  BatchStream(const Corpus& corpus, const StreamSettings& settings, StreamPosition start = {});
  ~BatchStream();
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  /// Returns the rank's share of the next update. Throws Error if a whole pass yields no pair. Throws
  /// Interrupted on rank 0 if a stop is requested during a wait; the stream is then unchanged, and the other
  /// ranks follow rank 0.
  Batch next();
  /// Undoes the last update: position() and epochs() return their values before it. The stream must not be
  /// read any more.
  void take_back() { begun_ = before_; }
  /// Returns the size of the last update over all ranks, which is the sum over its batches.
  const BatchSize& size() const { return size_; }
  /// Returns a key for the random draws of the last update. It depends on the seed and on the place of the
  /// update in the stream, and is equal on all ranks.
  std::uint64_t update_key() const;
  /// Returns the number of updates per pass, estimated from the pool of the next one. Throws as next() does.
  double updates_per_pass();

  /// Returns the position at which another stream continues with the next update of this one.
  const StreamPosition& position() const { return begun_ ? begun_->start : position_; }
  /// Returns the pass of the last update, from 1.
  std::int64_t epoch() const { return position_.epoch + 1; }
  /// Returns the number of completed passes.
  std::int64_t epochs_finished() const;
  /// Returns the number of completed passes, including the fraction of the current one.
  double epochs() const;
  /// Returns the seconds of waiting for pools, including the first, since the last call.
  double take_seconds_waited() { return std::exchange(seconds_waited_, 0); }

 private:
  struct PartOfBatch {
    Batch share;
    BatchSize size;  // of the whole batch, as in Pool
    std::size_t pairs = 0;
  };
  /// An update in progress: some of its batches were taken, others are still needed.
  struct Begun {
    StreamPosition start;
    double epochs = 0;  // at its start
    Batch share;
    BatchSize size;
    std::int64_t batches = 0;
  };
  struct Pool {
    std::vector<PartOfBatch> batches;       // remaining batches, the next one last
    std::size_t pairs = 0, pairs_left = 0;  // number in the whole pool; number in `batches`
    std::size_t split_pairs = 0,
                split_batches = 0;  // pairs split with the current budget; the number of batches they gave
    Dropped dropped;
  };

  /// Partitions batches, of which the next one is last, among the ranks; leaves out the first `taken`
  /// batches.
  void partition_over_ranks(std::vector<Batch> batches, std::int64_t taken, Pool& pool) const;
  /// Returns the pool at a position, without the batches already taken from it.
  Pool make_pool(const StreamPosition& position) const;
  void prefetch(StreamPosition position);
  /// Waits for the prefetched pool.
  void wait();
  /// Takes the prefetched pool, which must be the one at position_.
  void open_pool();
  void next_pool();
  /// Moves to the next pool with a batch, unless the current one has a batch left.
  void find_batch();
  /// Takes the batch that find_batch() has found.
  void take_batch();
  bool pass_is_complete() const;
  const Pools& pools(std::int64_t epoch) const { return epoch == 0 ? first_pass_ : later_pass_; }
  /// Returns the pools of the current pass.
  const Pools& pools() const { return pools(position_.epoch); }
  /// Returns the beginning of the next pool.
  StreamPosition after(const StreamPosition& position) const;
  /// Logs what was left out of the first pass, after that pass.
  void report_dropped() const;

  const Corpus& corpus_;
  StreamSettings settings_;
  Pools first_pass_, later_pass_;
  StreamPosition position_;
  bool started_ = false, whole_pass_ = true;  // whether the current pass was read from its beginning
  std::size_t pairs_of_pass_ = 0;
  Pool current_;
  std::optional<Begun> begun_;
  Begun before_;  // the state before the last update, without batches
  BatchSize size_;
  Dropped dropped_;
  double seconds_waited_ = 0;
  std::atomic<bool> stopping_ = false;  // asks the thread to end early
  std::future<Pool> prefetched_;        // last member, so that its destructor, which waits, runs first
};

}  // namespace nmt
