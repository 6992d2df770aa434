// The gradients of one update.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations.h"
#include "nn/model.h"

namespace nmt {

/// Sums over target tokens (end marks included).
struct LossSum {
  double loss = 0, nll = 0;  // with label smoothing; without
  std::int64_t tokens = 0;

  LossSum& operator+=(const LossSum& other);
};

struct LossSettings {
  DropoutRates dropout;
  double label_smoothing = 0;
};

/// Computes the loss of batches and its gradients.
class Update {
 public:
  Update(const Model& model, Backend& backend, Arena& arena, const Marks& marks,
         const LossSettings& settings);

  /// Adds the gradients of the mean loss over all target tokens of `batches` to those of the parameters, one
  /// batch after another, so that the result does not depend on how the update was cut. `seed` and `step` key
  /// the dropout.
  LossSum gradients(const std::vector<Batch>& batches, std::uint32_t seed, std::uint32_t step);
  /// The loss of one batch without dropout and without gradients.
  LossSum loss(const Batch& batch);

 private:
  LossSum sum(const Losses& losses);

  const Model& model_;
  Backend& backend_;
  Arena& arena_;
  Marks marks_;
  LossSettings settings_;
  Tensor random_, scale_;  // read by the kernels: seed and step; one over the number of tokens
};

}  // namespace nmt
