// The micro-batches of an update, computed by several threads at a time: shards of it, whose gradients are
// accumulated apart.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/example.h"
#include "tensor/workers.h"

namespace nmt {

/// Tokens of a side below which a shard costs more than it brings: to clear a buffer of gradients and add it
/// up takes as long as some tens of tokens.
inline constexpr std::int64_t kSmallestShard = 200;

/// Micro-batches of which the gradients are added up in this order.
using AccumulationShard = std::vector<Batch>;

/// Partitions a batch into shards with as many tokens each, for so many workers: one shard more than workers,
/// or a single one where shards would be too small to be worth a buffer of gradients. The micro-batches of a
/// shard become smaller, so that workers end at nearly the same time; none has more than `micro_batch_tokens`
/// padded source or target tokens, unless a pair has by itself.
std::vector<AccumulationShard> accumulation_shards(Batch batch, std::int64_t workers,
                                                   std::int64_t micro_batch_tokens);

/// Has the workers of a device compute the shards of updates. A worker takes a shard that nobody is at,
/// computes the next micro-batch of it, and takes another: so nobody waits, before the very end, for one that
/// the system has put aside. What is added to what, and so every bit, depends on the shards, not on who
/// computes what.
class AccumulationWorkers {
 public:
  /// `workers` must outlive this.
  explicit AccumulationWorkers(Workers& workers) : workers_(workers) {}

  /// Adds the gradients of the micro-batch of this number, those of all shards counted one after another, to
  /// `gradients`.
  using Work =
      std::function<void(const Batch& batch, std::size_t number, Worker& worker, const Tensor& gradients)>;
  /// Calls `work` once for each micro-batch: on a thread for each worker, or, of a single shard, on this
  /// thread with the whole device. Adds all their gradients to `sum`. An exception of `work` is thrown again
  /// here.
  void run(const std::vector<AccumulationShard>& shards, const Tensor& sum, const Work& work);

 private:
  Workers& workers_;
  std::vector<Tensor> gradients_;  // of each shard but the first, which adds to the sum at once
};

}  // namespace nmt
