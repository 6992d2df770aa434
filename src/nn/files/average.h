// The mean of models, weight by weight: checkpoints of one run averaged translate better than its last one.
#pragma once

#include <string>
#include <vector>

#include "common/log/log.h"
#include "nn/files/model_file.h"

namespace nmt {

/// Writes the mean of one or more models, atomically: sums in f64, results in f32 (integers count with their
/// scales), configuration of the last file. Takes the memory of the result and of one tensor, however many
/// files there are. Throws Error for a file that is no good model, and for one whose model settings or
/// vocabularies are not those of the first. `log` hears how far it is.
void average_models(const std::vector<ModelFile>& files, const std::string& output, Log& log = silent_log());

}  // namespace nmt
