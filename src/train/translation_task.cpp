#include "train/translation_task.h"

#include <utility>

#include "train/token_cutoff.h"

namespace nmt {

TranslationTask::TranslationTask(const TrainingSettings& settings, const TranslationParts& parts,
                                 std::optional<ValidationText> validation, Workers& workers)
    : micro_batch_tokens_(settings.micro_batch_tokens),
      cut_rate_(settings.simcut > 0 ? std::optional(settings.simcut_rate) : std::nullopt),
      update_(*parts.model.model, workers, parts.model.special_tokens,
              {settings.dropout, settings.label_smoothing, settings.guided_alignment_weight, settings.r_drop,
               settings.simcut, settings.activation_checkpointing}) {
  if (settings.risk.is_wanted()) {
    auto utility = parts.utility ? parts.utility : metric_utility(settings.risk.metric);
    risk_.emplace(settings.risk, std::move(utility), parts.model, workers);
  }
  if (!validation) return;
  ValidationSettings measured = validation_settings(settings);
  measured.of_models = parts.of_models;
  validator_.emplace(std::move(*validation), std::move(measured), parts.model, workers, update_,
                     parts.communicator, parts.job);
}

void TranslationTask::gradients(Batch share, const BatchSize& size, std::uint64_t key,
                                DeviceStatistics& statistics, const FinalGradients& final,
                                const StopRequest& stop) {
  if (cut_rate_) cut_tokens(share, *cut_rate_, key);
  if (!risk_) {
    update_.gradients(update_.shards(std::move(share), micro_batch_tokens_), size.target, statistics, final,
                      &stop, key);
    return;
  }
  RiskParts parts = (*risk_)(std::move(share), key, stop);
  update_.gradients(update_.shards(std::move(parts.references), micro_batch_tokens_), size.target, statistics,
                    {}, &stop, key);
  update_.add_gradients(update_.shards(std::move(parts.candidates), micro_batch_tokens_), parts.risk_sum,
                        statistics, final, &stop, key);
}

}  // namespace nmt
