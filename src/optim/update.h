// The gradients of one update.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "nn/model.h"
#include "optim/accumulation.h"
#include "optim/device_statistics.h"

namespace nmt {

/// Sums over target tokens (EOS included).
struct LossSum {
  double loss = 0, nll = 0;  // with label smoothing; without
  std::int64_t tokens = 0;

  LossSum& operator+=(const LossSum& other);
};

/// Target tokens of batches, EOS included.
std::int64_t target_tokens(const std::vector<Batch>& batches);

struct LossSettings {
  DropoutRates dropout;
  double label_smoothing = 0;
  /// Times the cross-entropy of the attention of each target token whose alignment is known, which is added
  /// to the loss (Chen et al., 2016): that of the first head of the last attention over the source. 0: none
  /// is.
  double guided_alignment_weight = 0;
  /// R-Drop (Liang et al., 2021): each batch is computed twice, with other dropout, and with other
  /// segmentations of sources where examples have them (as in Wang et al., 2021, Multi-view Subword
  /// Regularization); this is what the divergence of both counts by (see PairedCrossEntropy). 0: batches are
  /// computed once.
  double r_drop = 0;
};

/// Computes the loss of batches and its gradients.
class Update {
 public:
  /// `model` and `workers` must outlive this.
  Update(const Model& model, Workers& workers, const SpecialTokens& special_tokens,
         const LossSettings& settings);

  /// Splits a batch as gradients() likes to have it on this device; see accumulation_shards().
  std::vector<AccumulationShard> shards(Batch batch, std::int64_t micro_batch_tokens) const {
    return accumulation_shards(std::move(batch), workers_.count(), micro_batch_tokens);
  }
  /// Adds the gradients of the losses of all batches of `shards`, summed up and divided by `tokens`, to those
  /// of the parameters, batch after batch and shard after shard, so that the result depends on how the update
  /// was split in rounding alone. `tokens`: all target tokens of the update, EOS included, whichever rank has
  /// them. The losses stand in `statistics` then, with which the update begins. Nothing is waited for.
  /// `final` hears during the last backward pass of a single shard which gradients are final (see
  /// Graph::backward). `stop` may end it in its middle; see Graph::end_on.
  void gradients(const std::vector<AccumulationShard>& shards, std::int64_t tokens,
                 DeviceStatistics& statistics, const FinalGradients& final = {},
                 const StopRequest* stop = nullptr);
  /// The same for examples whose loss the host knows, behind gradients(), which did not hear of `final`: adds
  /// the gradients of their cross-entropies, each times its weight, without label smoothing; and to the
  /// losses adds `loss`, of which these are the gradients (see RiskParts).
  void add_gradients(const std::vector<AccumulationShard>& shards, double loss, DeviceStatistics& statistics,
                     const FinalGradients& final = {}, const StopRequest* stop = nullptr);
  /// The loss of batches without dropout and without gradients. `after` each of them, when it has been handed
  /// to the device, this is called. Only the end is waited for.
  LossSum loss(const std::vector<Batch>& batches, const std::function<void(const Batch&)>& after = {});

 private:
  /// The losses of a batch, computed in a graph.
  using LossesOf = std::function<Losses(Graph& g, const Batch& batch)>;
  /// Adds the gradients of `losses_of` all batches, whose losses it returns.
  std::vector<Losses> accumulate(const std::vector<AccumulationShard>& shards, const LossesOf& losses_of,
                                 const DeviceStatistics& statistics, const FinalGradients& final,
                                 const StopRequest* stop);
  Losses losses(Graph& g, const Batch& batch, const Tensor& scale) const;
  /// The same with that of the attention.
  Losses guided_losses(Graph& g, const Batch& batch, const Tensor& scale) const;

  const Model& model_;
  Workers& workers_;
  SpecialTokens special_tokens_;
  LossSettings settings_;
  AccumulationWorkers accumulation_workers_;
  DeviceStatistics loss_alone_;  // where loss() sums up
};

}  // namespace nmt
