// The micro-batches of an update, computed by several threads at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data/example.h"
#include "tensor/workers.h"

namespace nmt {

/// Micro-batches of which the gradients are added up in this order.
using Lane = std::vector<Batch>;

/// Deals a batch to lanes with as many tokens each, for so many workers: one lane more than workers, or a
/// single one where lanes would be too short to be worth a buffer of gradients. The micro-batches of a lane
/// become smaller, so that workers end at nearly the same time; none has more than `micro_batch_tokens`
/// padded source or target tokens, unless a pair has by itself.
std::vector<Lane> lanes_of(Batch batch, std::int64_t workers, std::int64_t micro_batch_tokens);

/// Has the workers of a device compute the lanes of updates. A worker takes a lane that nobody is at,
/// computes the next micro-batch of it, and takes another: so nobody waits, before the very end, for one that
/// the system has put aside. What is added to what, and so every bit, depends on the lanes, not on who
/// computes what.
class LaneWorkers {
 public:
  /// `workers` must outlive this.
  explicit LaneWorkers(Workers& workers) : workers_(workers) {}

  /// Adds the gradients of the micro-batch of this number, those of all lanes counted one after another, to
  /// `gradients`.
  using Work =
      std::function<void(const Batch& batch, std::size_t number, Worker& worker, const Tensor& gradients)>;
  /// Calls `work` once for each micro-batch: on a thread for each worker, or, of a single lane, on this
  /// thread with the whole device. Adds all their gradients to `sum`. An exception of `work` is thrown again
  /// here.
  void run(const std::vector<Lane>& lanes, const Tensor& sum, const Work& work);

 private:
  Workers& workers_;
  std::vector<Tensor> gradients_;  // of each lane but the first, which adds to the sum at once
};

}  // namespace nmt
