// A run that trains a COMET model on judgments.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/training_job.h"
#include "train/metric/judgment_task.h"

namespace nmt {

/// The parts of a run, all of which must outlive it.
struct MetricPlan {
  const TrainingSettings& settings;
  const ModelSettings& model;
  const TrainedComet& comet;  // on the device, with gradients
  Backend& device;
  const JudgmentCorpus& corpus;
  const Judgments* validation;               // null: there are no validations
  std::optional<std::int64_t> goes_on_from;  // the step after which the run continues; none: it is new
  JobContext job;
};

/// Trains from the first update, or from the state of the run that is continued, to the last one. Returns the
/// best validations, best first. Throws as Trainer::run() does.
std::vector<BestValidations::Entry> train_metric(const MetricPlan& plan, const TrainingOutput& output);

}  // namespace nmt
