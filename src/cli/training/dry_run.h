// What training would take, without doing it.
#pragma once

#include <string>

#include "cli/training/train_options.h"
#include "engine/training_job.h"

namespace nmt {

/// The resolved configuration, and as comments of YAML: the weights by part of the model, the memory that
/// training takes and what of it is free, and the batches of a full pool of the corpus. `ranks`: "2 ranks on
/// 1 machine", over which these are partitioned, and each of which takes that memory; empty: one.
std::string dry_run_text(const std::string& config, const TrainOptions& t, const TrainingJob& job,
                         const std::string& ranks);

}  // namespace nmt
