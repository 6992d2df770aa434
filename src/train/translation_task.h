// The task of models (nn/model.h): translation, and language modeling.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "nn/saved/saved_model.h"
#include "train/expected_risk.h"
#include "train/settings.h"
#include "train/task.h"
#include "train/validator.h"
#include "translate/service/utility.h"

namespace nmt {

/// The parts of the task on a rank, which must outlive it.
struct TranslationParts {
  const SavedModel& model;  // on the device, with gradients
  Communicator& communicator;
  JobContext job = {};
  QualityMetrics of_models = {};  // the metrics that need a model; only rank 0 has them
  /// That of minimum risk training by a model; null: that of the metric in the settings.
  std::shared_ptr<const Utility> utility = nullptr;
};

class TranslationTask final : public Task {
 public:
  /// `validation`: none: there are no validations.
  TranslationTask(const TrainingSettings& settings, const TranslationParts& parts,
                  std::optional<ValidationText> validation, Workers& workers);

  /// Cuts tokens for the second pass of SimCut. In minimum risk training, also adds the gradients of the
  /// candidates of the sentences.
  void gradients(Batch share, const BatchSize& size, std::uint64_t key, DeviceStatistics& statistics,
                 const FinalGradients& final, const StopRequest& stop) override;
  bool validates() const override { return validator_.has_value(); }
  Validation validate() override { return (*validator_)(); }
  const ValidationText* validation_text() const override {
    return validator_ ? &validator_->text() : nullptr;
  }

 private:
  std::int64_t micro_batch_tokens_;
  std::optional<double> cut_rate_;  // of tokens for the second pass of SimCut; none: there is no such pass
  Update update_;
  std::optional<RiskSampler> risk_;
  std::optional<Validator> validator_;
};

}  // namespace nmt
