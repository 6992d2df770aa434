// What training would take, without training.
#pragma once

#include <string>

#include "engine/training_memory.h"
#include "engine/training_plan.h"

namespace nmt {

/// Returns the resolved configuration, and as YAML comments: the weights by part of the model, the memory
/// that training needs and the free memory, and the batches of a full pool of the corpus. `ranks`: such as "2
/// ranks on 1 machine" if updates are partitioned over ranks, each of which needs that memory; empty: one
/// rank.
std::string dry_run_text(const std::string& config, const TrainingPlan& plan, const TrainingMemory& memory,
                         const std::string& ranks);

}  // namespace nmt
