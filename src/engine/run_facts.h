// The properties that all ranks of a training run must have in common.
#pragma once

#include <optional>
#include <string>

#include "engine/device_ranks.h"
#include "engine/training_plan.h"
#include "nn/files/model_file.h"

namespace nmt {

/// Checks that all processes of a run have the same plan. It consists of the settings of `config` (complete,
/// without paths) except the number of threads and the device, and of everything that is read from files:
/// text, vocabularies, and `state` or else the weights that the run begins with. All processes call this
/// together. Throws as check_agreement() does.
void check_same_plan(const TrainingPlan& plan, const std::string& config,
                     const std::optional<ModelFile>& state, DeviceRanks& ranks);

}  // namespace nmt
