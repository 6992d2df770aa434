// Settings of a run that are valid but hardly meant.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/training/train_options.h"
#include "engine/training_plan.h"

namespace nmt {

/// Returns a warning for a learning rate that is too small for the schedule noam, where it is a factor, or
/// too large for the others; for a warm-up that is longer than the run; and for a run whose length was left
/// to a preset that is not for such a small corpus. `t`: with the settings of `plan`.
std::vector<std::string> unusual_settings(const Options& options, const TrainOptions& t,
                                          const TrainingPlan& plan);

}  // namespace nmt
