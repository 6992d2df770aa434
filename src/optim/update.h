// The gradients of one update.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "nn/model.h"
#include "optim/device_figures.h"

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
  Update(const Model& model, Backend& backend, Arena& arena, const Marks& marks,
         const LossSettings& settings);

  /// Adds the gradients of the losses of `batches`, summed up and divided by `tokens`, to those of the
  /// parameters, one batch after another, so that the result does not depend on how the update was cut.
  /// `tokens`: all target tokens of the update, end marks included, whichever rank has them. The losses stand
  /// in `figures` then, with which the update begins. Nothing is waited for. `final` hears during the last
  /// backward pass which gradients are final (see Graph::backward).
  void gradients(const std::vector<Batch>& batches, std::int64_t tokens, DeviceFigures& figures,
                 const FinalGradients& final = {});
  /// The loss of batches without dropout and without gradients. `after` each of them, when it has been handed
  /// to the device, this is called. Only the end is waited for.
  LossSum loss(const std::vector<Batch>& batches, const std::function<void(const Batch&)>& after = {});

 private:
  Losses losses(Graph& g, const Batch& batch, const Tensor& scale) const;

  const Model& model_;
  Backend& backend_;
  Arena& arena_;
  Marks marks_;
  LossSettings settings_;
  DeviceFigures loss_alone_;  // where loss() sums up
};

}  // namespace nmt
