// What nmt train finds out before it starts: what training would take, and settings that are valid but
// unusual.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/training/train_options.h"
#include "engine/training_plan.h"

namespace nmt {

/// Returns the resolved configuration, and as YAML comments: the weights by part of the model, the memory
/// that training needs and the free memory, and the batches of a full pool of the corpus. `ranks`: such as "2
/// ranks on 1 machine" if updates are partitioned over ranks, each of which needs that memory; empty: one
/// rank.
std::string dry_run_text(const std::string& config, const TrainingPlan& plan, const TrainingMemory& memory,
                         const std::string& ranks);

/// Returns warnings about settings that are valid but probably not meant. These are a learning rate that is
/// too small for the schedule noam, where it is a factor, or too large for the others; a warm-up that is
/// longer than the run; and a length of the run that was left to a preset for larger corpora. `t`: with the
/// settings of `plan`.
std::vector<std::string> unusual_settings(const Options& options, const TrainOptions& t,
                                          const TrainingPlan& plan);

}  // namespace nmt
