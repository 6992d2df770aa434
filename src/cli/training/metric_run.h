// nmt train --judgments: trains a COMET model.
#pragma once

#include "cli/options/options.h"
#include "cli/training/train_options.h"
#include "ranks/launched_ranks.h"

namespace nmt {

/// Trains on the judgments that the settings name, and logs the outcome. `launched`: the processes of the
/// run; null: this process is alone. Throws UsageError for several ranks.
void run_metric_training(Options& options, TrainOptions& t, LaunchedRanks* launched);

}  // namespace nmt
