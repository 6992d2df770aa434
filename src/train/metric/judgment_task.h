// The task of COMET models that are trained on judgments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "data/text/judgments.h"
#include "data/vocabulary/vocabulary.h"
#include "nn/comet/comet_model.h"
#include "optim/accumulation.h"
#include "train/metric/judgment_loss.h"
#include "train/settings.h"
#include "train/task.h"

namespace nmt {

/// A COMET model in training, with the vocabulary of its texts.
struct TrainedComet {
  Vocabulary vocabulary;
  std::unique_ptr<CometModel> model;
};

/// The parts of the task, which must outlive it.
struct JudgmentParts {
  const TrainedComet& comet;  // on the device, with gradients
  const JudgmentCorpus& corpus;
  const Judgments* validation;  // null: there are no validations
  JobContext job = {};
};

/// The metrics of validations, besides the loss: Kendall's tau and Pearson's correlation with the judgments.
class JudgmentTask final : public Task {
 public:
  JudgmentTask(const TrainingSettings& settings, const JudgmentParts& parts, Workers& workers);

  void gradients(Batch share, const BatchSize& size, std::uint64_t key, DeviceStatistics& statistics,
                 const FinalGradients& final, const StopRequest& stop) override;
  bool validates() const override { return parts_.validation != nullptr; }
  /// Scores the translations as CometMetric does.
  Validation validate() override;

 private:
  std::vector<double> scores() const;

  std::int64_t micro_batch_tokens_;
  DropoutRates dropout_;
  JudgmentParts parts_;
  Workers& workers_;
  JudgmentLoss loss_;
  AccumulationWorkers accumulation_workers_;
};

}  // namespace nmt
