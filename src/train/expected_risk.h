// Minimum risk training (Shen et al., 2016, Minimum Risk Training for Neural Machine Translation).
// Translations sampled from a model are scored against the reference, and the model is trained towards the
// good ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/job_context.h"
#include "data/example.h"
#include "nn/saved/saved_model.h"
#include "tensor/workers.h"
#include "train/settings.h"
#include "translate/search/strategy.h"
#include "translate/service/utility.h"

namespace nmt {

/// The expected risk of the candidates of a sentence, R = sum_k Q_k r_k with Q_k = p_k^a / sum_j p_j^a, and
/// the factors a Q_k (R - r_k). If the factors are taken as constants, the sum of the candidates'
/// cross-entropies times these factors has the gradient of R.
struct ExpectedRisk {
  double value = 0;
  std::vector<double> factors;  // one for each candidate; their sum is 0
};

/// Computes the expected risk of candidates from log p_k and r_k, equally many of both and at least one.
/// `sharpness`: a.
ExpectedRisk expected_risk(std::span<const double> log_probabilities, std::span<const double> risks,
                           double sharpness);

/// The parts of the loss of a batch. With W = RiskSettings::weight, the loss is the sum over its sentences of
///   (1 - W) * cross-entropy of the reference + W * n * expected risk of the candidates.
/// Here n is the sum of the token weights of the reference, or its number of tokens if it has no weights.
struct RiskParts {
  Batch references;     // the batch, with weights times 1 - W
  Batch candidates;     // with token weights W * n * factor
  double risk_sum = 0;  // sum of W * n * R
};

/// Computes the RiskParts of batches.
class RiskSampler {
 public:
  /// `utility` decides which candidates are good. `model` must be on the device of `workers`; both must
  /// outlive this object.
  RiskSampler(const RiskSettings& settings, std::shared_ptr<const Utility> utility, const SavedModel& model,
              Workers& workers);

  /// Samples and scores the candidates of a batch; equal ones count once. The risk is 1 - utility / best, at
  /// least -1 and at most 2, of the text of a candidate, given the texts of the source's and the reference's
  /// tokens. The candidates of a sentence depend only on the weights, `key` and its id. A
  /// sentence for which the model does not compute finite numbers has no candidates. Throws Interrupted if
  /// `stop` requests it.
  RiskParts operator()(Batch batch, std::uint64_t key, const StopRequest& stop);

 private:
  /// The candidates of one sentence.
  struct Candidates {
    std::vector<Example> examples;
    double risk = 0;  // W * n * R
  };
  /// Returns the different samples of each sentence.
  std::vector<std::vector<Hypothesis>> sample(std::span<const Example> examples, std::uint64_t key,
                                              const StopRequest& stop);
  /// Returns the risks of the samples of each sentence.
  std::vector<std::vector<double>> risks(std::span<const Example> examples,
                                         std::span<const std::vector<Hypothesis>> samples,
                                         const StopRequest& stop) const;
  Candidates candidates(const Example& reference, std::span<const Hypothesis> samples,
                        std::span<const double> risks) const;

  RiskSettings settings_;
  const SavedModel& model_;
  Workers& workers_;
  std::shared_ptr<const Utility> utility_;
};

}  // namespace nmt
