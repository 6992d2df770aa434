#include "train/metric/judgment_task.h"

#include <numeric>
#include <utility>
#include <vector>

#include "metrics/correlation.h"
#include "train/run/checkpoints.h"
#include "translate/quality/comet_metric.h"

namespace nmt {

JudgmentTask::JudgmentTask(const TrainingSettings& settings, const JudgmentParts& parts, Workers& workers)
    : micro_batch_tokens_(settings.micro_batch_tokens),
      dropout_(settings.dropout),
      parts_(parts),
      workers_(workers),
      loss_(*parts.comet.model, parts.corpus),
      accumulation_workers_(workers) {}

void JudgmentTask::gradients(Batch share, const BatchSize& size, std::uint64_t /*key*/,
                             DeviceStatistics& statistics, const FinalGradients& final,
                             const StopRequest& stop) {
  const std::vector<AccumulationShard> shards =
      accumulation_shards(std::move(share), workers_.count(), micro_batch_tokens_);
  std::vector<double> losses(micro_batches(shards));
  statistics.begin(losses_in(size, LossKind::judgments));
  accumulation_workers_.run(
      shards, parts_.comet.model->training_weights().gradients(),
      {.dropout = dropout_, .random = statistics.random(), .final = final, .stop = &stop},
      [&](Graph& g, const Batch& batch, std::size_t number) {
        losses[number] = loss_(g, batch, statistics.scale());
      });
  statistics.add(std::accumulate(losses.begin(), losses.end(), 0.0));
}

std::vector<double> JudgmentTask::scores() const {
  const std::vector<RatedText>& rated = parts_.validation->texts;
  std::vector<JudgedTexts> texts;
  for (const RatedText& each : rated) texts.push_back({each.translation, each.source, each.reference});
  const CometMetric metric(*parts_.comet.model, parts_.comet.vocabulary, workers_);
  std::vector<double> scores;
  for (const Judgment& judgment :
       metric.judge(texts, metric.reads_reference(), [this](std::size_t) { parts_.job.stop->check(); }))
    scores.push_back(judgment.score);
  return scores;
}

Validation JudgmentTask::validate() {
  const std::vector<double> own = scores();
  std::vector<double> given;
  for (const RatedText& each : parts_.validation->texts) given.push_back(each.score);
  Validation validation{.loss = {.tokens = std::ssize(own)}, .kind = LossKind::judgments};
  for (std::size_t i = 0; i < own.size(); ++i)
    validation.loss.loss += (own[i] - given[i]) * (own[i] - given[i]);
  const auto add = [&](const char* name, const char* title, double value) {
    validation.metrics.emplace_back(name);
    validation.scores.push_back({.name = title, .value = value, .signature = {}, .more_digits = 3});
  };
  add(kKendallFigure, "Kendall's tau", kendall_tau(own, given));
  add(kPearsonFigure, "Pearson", pearson_correlation(own, given));
  return validation;
}

}  // namespace nmt
