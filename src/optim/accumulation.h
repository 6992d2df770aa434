// The micro-batches of an update. Several threads compute them at a time, in shards whose gradients are
// accumulated separately.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "data/example.h"
#include "graph/graph.h"
#include "nn/weights/training_weights.h"
#include "tensor/workers.h"

namespace nmt {

/// Sums a flat buffer of gradients over the ranks: each bucket of the shard as soon as its gradients are
/// final, so that the sums overlap with the backward pass, and vectors at the end. Where gradients are
/// divided among ranks, each rank gets only the sums of its own part.
class GradientSum {
 public:
  /// `gradients`: [1, n]. Gradients of matrices are sent in type `travel`; see Communicator::reduce_scatter.
  /// All arguments must outlive this object. `before_first` is called once before the first sum is requested,
  /// and may throw.
  GradientSum(
      Tensor gradients, const Shard& shard, Communicator& communicator, DType travel,
      std::function<void()> before_first = [] {})
      : gradients_(std::move(gradients)),
        shard_(shard),
        communicator_(communicator),
        travel_(travel),
        before_first_(std::move(before_first)) {}

  /// Declares that the gradients of this rank are final from this address to the end of the buffer.
  void final_from(const void* first);
  /// Requests the remaining sums. Device work requested afterwards sees all sums.
  void finish();

 private:
  Tensor gradients_;
  const Shard& shard_;
  Communicator& communicator_;
  DType travel_;
  std::function<void()> before_first_;
  std::size_t asked_ = 0;  // number of buckets whose sums were requested
};

/// The minimum number of tokens per side of a shard. A smaller one is not worth its cost: clearing a gradient
/// buffer and adding it up takes as long as computing some tens of tokens.
inline constexpr std::int64_t kSmallestShard = 200;

/// Micro-batches whose gradients are added up in this order.
using AccumulationShard = std::vector<Batch>;

/// Partitions a batch into shards with about equally many tokens for `workers` workers: one shard more than
/// workers, or a single shard if shards would be smaller than kSmallestShard. The micro-batches of a shard
/// get smaller towards its end, so that workers finish at nearly the same time. No micro-batch has more than
/// `micro_batch_tokens` padded source or target tokens, unless a single pair has more.
std::vector<AccumulationShard> accumulation_shards(Batch batch, std::int64_t workers,
                                                   std::int64_t micro_batch_tokens);

/// Returns the number of micro-batches of all shards.
std::size_t micro_batches(const std::vector<AccumulationShard>& shards);

/// The training passes of an update.
struct TrainingPasses {
  DropoutRates dropout;
  bool recompute_activations = false;  // see Graph::recompute_activations()
  Tensor random;                       // see Dropout
  std::uint64_t key = 0;               // see Graph
  const FinalGradients& final;         // called during the last pass of a single shard; see Graph::backward()
  const StopRequest* stop;             // can interrupt them; see Graph::end_on(). Null: nothing does.
};

/// Computes the shards of updates on the workers of a device. A worker claims a free shard, computes its next
/// micro-batch, releases the shard and claims another. So no worker waits, before the very end, for one that
/// the operating system has suspended. The order of additions, and so every bit of the result, depends on the
/// shards only, not on which worker computes what.
class AccumulationWorkers {
 public:
  /// `workers` must outlive this.
  explicit AccumulationWorkers(Workers& workers) : workers_(workers) {}

  /// Adds the gradients of a micro-batch to `gradients`. `number` counts the micro-batches of all shards one
  /// after another.
  using Work =
      std::function<void(const Batch& batch, std::size_t number, Worker& worker, const Tensor& gradients)>;
  /// Calls `work` once for each micro-batch: on one thread per worker, or, if there is a single shard, on
  /// this thread with the whole device. Adds all gradients to `sum`. Rethrows an exception of `work`.
  void run(const std::vector<AccumulationShard>& shards, const Tensor& sum, const Work& work);

  /// Computes the loss of a micro-batch in a graph for training. `number`: as in Work.
  using Loss = std::function<void(Graph& g, const Batch& batch, std::size_t number)>;
  /// Makes a pass for each micro-batch, as run() does: calls `loss`, and adds the gradients of the loss to
  /// `sum`, which is laid out as the gradients of the parameters, or is them.
  void run(const std::vector<AccumulationShard>& shards, const Tensor& sum, const TrainingPasses& passes,
           const Loss& loss);

 private:
  Workers& workers_;
  std::vector<Tensor> gradients_;  // of each shard except the first, which adds directly to the sum
};

}  // namespace nmt
