// The loss and the gradients of one update.
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
  double loss = 0, nll = 0;  // with and without label smoothing
  std::int64_t tokens = 0;

  LossSum& operator+=(const LossSum& other);
};

/// Returns the number of target tokens of batches, EOS included.
std::int64_t target_tokens(const std::vector<Batch>& batches);

struct LossSettings {
  DropoutRates dropout;
  double label_smoothing = 0;
  /// Weight of the guided-alignment loss (Chen et al., 2016): the cross-entropy of the first head of the last
  /// attention over the source, for each target token whose alignment is known. 0: not added.
  double guided_alignment_weight = 0;
  /// Weight of the divergence in R-Drop (Liang et al., 2021): the mean of KL(p || q) and KL(q || p), where p
  /// and q are the distributions of two passes (see PairedCrossEntropy). Each batch is computed twice with
  /// different dropout, and with the other segmentations of sources if examples have them (as in Wang et al.,
  /// 2021, Multi-view Subword Regularization). 0: batches are computed once.
  double r_drop = 0;
  /// Weight of the divergence in SimCut (Gao et al., 2022): KL(p || q), where p is the distribution of the
  /// first pass, and q that of a second one, which reads tokens that are cut (see Example). Only the first
  /// pass has a cross-entropy. Not together with r_drop. 0: not added.
  double simcut = 0;
  bool recompute_activations = false;  // see Graph::recompute_activations()
};

/// Computes the loss of batches and its gradients.
class Update {
 public:
  /// `model` and `workers` must outlive this object.
  Update(const Model& model, Workers& workers, const SpecialTokens& special_tokens,
         const LossSettings& settings);

  /// Splits a batch into the shards that gradients() takes on this device; see accumulation_shards().
  std::vector<AccumulationShard> shards(Batch batch, std::int64_t micro_batch_tokens) const {
    return accumulation_shards(std::move(batch), workers_.count(), micro_batch_tokens);
  }
  /// Computes the losses of all batches of `shards`, summed and divided by `tokens`, and adds their gradients
  /// to the gradients of the parameters. This is done batch by batch and shard by shard, so that different
  /// splits of an update differ only in rounding. `tokens`: target tokens of the update on all ranks, EOS
  /// included. Begins the update in `statistics` and adds the losses to it. Does not wait for the device.
  /// `final` is called during the last backward pass of a single shard; see Graph::backward(). `stop` can
  /// interrupt the computation; see Graph::end_on(). `key`: equal on all ranks; see Graph::layers_kept().
  void gradients(const std::vector<AccumulationShard>& shards, std::int64_t tokens,
                 DeviceStatistics& statistics, const FinalGradients& final = {},
                 const StopRequest* stop = nullptr, std::uint64_t key = 0);
  /// Adds the gradients of examples whose loss the host has computed. Called after gradients() with an empty
  /// `final`. The gradients are those of the cross-entropies of the examples, each times the example's
  /// weight, without label smoothing. `loss`, the loss that has these gradients (see RiskParts), is added to
  /// the losses.
  void add_gradients(const std::vector<AccumulationShard>& shards, double loss, DeviceStatistics& statistics,
                     const FinalGradients& final = {}, const StopRequest* stop = nullptr,
                     std::uint64_t key = 0);
  /// Returns the loss of batches without dropout and without gradients. Calls `after` for each batch once it
  /// has been handed to the device. Waits for the device only at the end.
  LossSum loss(const std::vector<Batch>& batches, const std::function<void(const Batch&)>& after = {});

 private:
  /// Computes the losses of a batch in a graph.
  using LossesOf = std::function<Losses(Graph& g, const Batch& batch)>;
  /// Calls `losses_of` for each batch, adds the gradients, and returns the losses.
  std::vector<Losses> accumulate(const std::vector<AccumulationShard>& shards, const LossesOf& losses_of,
                                 const DeviceStatistics& statistics, const FinalGradients& final,
                                 const StopRequest* stop, std::uint64_t key);
  Losses losses(Graph& g, const Batch& batch, const Tensor& scale) const;
  /// Returns the losses of a batch including the guided-alignment loss.
  Losses guided_losses(Graph& g, const Batch& batch, const Tensor& scale) const;

  const Model& model_;
  Workers& workers_;
  SpecialTokens special_tokens_;
  LossSettings settings_;
  AccumulationWorkers accumulation_workers_;
  DeviceStatistics loss_alone_;  // accumulates the results of loss()
};

}  // namespace nmt
