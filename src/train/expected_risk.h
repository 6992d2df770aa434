// Minimum risk training (Shen et al., 2016, Minimum Risk Training for Neural Machine Translation):
// translations that a model draws are scored against the reference, and it is trained towards the good ones
// among them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/process/stop_request.h"
#include "data/example.h"
#include "metrics/metric.h"
#include "nn/files/saved_model.h"
#include "tensor/workers.h"
#include "train/settings.h"
#include "translate/search/strategy.h"

namespace nmt {

/// The risk that is expected of the candidates of a sentence, R = sum_k Q_k r_k with Q_k = p_k^a / sum_j
/// p_j^a, and the factors a Q_k (R - r_k): the cross-entropies of the candidates times these, taken as
/// constants, have the gradient of R.
struct ExpectedRisk {
  double value = 0;
  std::vector<double> factors;  // one of each candidate; their sum is 0
};

/// That of candidates with these log p_k and r_k, as many of both and at least one. `sharpness`: a.
ExpectedRisk expected_risk(std::span<const double> log_probabilities, std::span<const double> risks,
                           double sharpness);

/// What the loss of a batch consists of, with W = RiskSettings::weight: the sum over its sentences of
///   (1 - W) * cross-entropy of the reference + W * n * expected risk of the candidates,
/// where n is the sum of the weights of the reference's tokens, their number where they have none.
struct RiskParts {
  Batch references;     // the batch, with weights times 1 - W
  Batch candidates;     // the weights of their tokens are W * n * factor
  double risk_sum = 0;  // of W * n * R
};

/// Makes these of batches.
class RiskSampler {
 public:
  /// `model` lies on the device of `workers`; both must outlive this. Throws UsageError for a metric that
  /// utility_metric() does not have.
  RiskSampler(const RiskSettings& settings, const SavedModel& model, Workers& workers, std::uint64_t seed);

  /// Draws and scores the candidates of a batch; equal ones count once. The risk is 1 - score / 100 of the
  /// text of a candidate, where that of the reference's tokens is the reference. Which candidates a sentence
  /// has depends on the weights, the seed, `epoch` and its id alone. A sentence that the model computes no
  /// numbers for has none. Throws Interrupted where `stop` says so.
  RiskParts operator()(Batch batch, std::int64_t epoch, const StopRequest& stop);

 private:
  /// What came of a sentence.
  struct Candidates {
    std::vector<Example> examples;
    double risk = 0;  // W * n * R
  };
  Candidates candidates(const Example& reference, const std::vector<Hypothesis>& samples) const;

  RiskSettings settings_;
  const SavedModel& model_;
  Workers& workers_;
  std::uint64_t seed_;
  std::shared_ptr<const Metric> metric_;
};

}  // namespace nmt
