// The gradients of one update.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "nn/model.h"
#include "optim/device_figures.h"
#include "optim/lanes.h"

namespace nmt {

/// Sums over target tokens (end marks included).
struct LossSum {
  double loss = 0, nll = 0;  // with label smoothing; without
  std::int64_t tokens = 0;

  LossSum& operator+=(const LossSum& other);
};

/// Target tokens of batches, end marks included.
std::int64_t target_tokens(const std::vector<Batch>& batches);

struct LossSettings {
  DropoutRates dropout;
  double label_smoothing = 0;
};

/// Computes the loss of batches and its gradients.
class Update {
 public:
  /// `model` and `workers` must outlive this.
  Update(const Model& model, Workers& workers, const Marks& marks, const LossSettings& settings);

  /// Cuts a batch as gradients() likes to have it on this device; see lanes_of().
  std::vector<Lane> lanes(Batch batch, std::int64_t micro_batch_tokens) const {
    return lanes_of(std::move(batch), workers_.count(), micro_batch_tokens);
  }
  /// Adds the gradients of the losses of all batches of `lanes`, summed up and divided by `tokens`, to those
  /// of the parameters, batch after batch and lane after lane, so that the result depends on how the update
  /// was cut in rounding alone. `tokens`: all target tokens of the update, end marks included, whichever rank
  /// has them. The losses stand in `figures` then, with which the update begins. Nothing is waited for.
  /// `final` hears during the last backward pass of a single lane which gradients are final (see
  /// Graph::backward). `stop` may end it in its middle; see Graph::end_on.
  void gradients(const std::vector<Lane>& lanes, std::int64_t tokens, DeviceFigures& figures,
                 const FinalGradients& final = {}, const StopRequest* stop = nullptr);
  /// The loss of batches without dropout and without gradients. `after` each of them, when it has been handed
  /// to the device, this is called. Only the end is waited for.
  LossSum loss(const std::vector<Batch>& batches, const std::function<void(const Batch&)>& after = {});

 private:
  Losses losses(Graph& g, const Batch& batch, const Tensor& scale) const;

  const Model& model_;
  Workers& workers_;
  Marks marks_;
  LossSettings settings_;
  LaneWorkers lane_workers_;
  DeviceFigures loss_alone_;  // where loss() sums up
};

}  // namespace nmt
