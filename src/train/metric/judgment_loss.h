// The loss of a metric: squared errors of its scores.
#pragma once

#include "data/example.h"
#include "graph/graph.h"
#include "nn/comet/comet_model.h"
#include "train/metric/judgment_corpus.h"

namespace nmt {

/// Throws ModelSettingError for a model that cannot be trained: only models of kind regression and
/// referenceless can be, with mean pooling and without mix_norm, as vectors are the means of the last hidden
/// state.
void check_trainable(const CometConfig& config);

/// Initializes a model for training: random weights, and a mix that has the last hidden state only.
void initialize_metric(CometModel& model, std::uint64_t seed);

class JudgmentLoss {
 public:
  /// Both arguments must outlive this object.
  JudgmentLoss(const CometModel& model, const JudgmentCorpus& corpus) : model_(model), corpus_(corpus) {}

  /// Returns the output of the estimator for each judgment of a batch: [judgments, 1].
  Var outputs(Graph& g, const Batch& batch) const;
  /// Returns the sum of the squared differences between the scores of the model and the judgments, and
  /// records the gradients of scale[0] times this sum. The differences are computed on the host, in double
  /// precision.
  double operator()(Graph& g, const Batch& batch, const Tensor& scale) const;

 private:
  const CometModel& model_;
  const JudgmentCorpus& corpus_;
};

}  // namespace nmt
