// Averages models weight by weight: averaged checkpoints of one run translate better than its last
// checkpoint.
#pragma once

#include <string>
#include <vector>

#include "common/log/log.h"
#include "nn/files/model_file.h"

namespace nmt {

/// Writes the average of one or more models, atomically, with the configuration of the last file. Sums are in
/// f64 and results in f32; integer weights are multiplied by their scales. Needs memory for the result and
/// one tensor, regardless of the number of files. Throws Error if a file is not a valid model, or if its
/// model settings or vocabularies differ from those of the first file. Progress goes to `log`.
void average_models(const std::vector<ModelFile>& files, const std::string& output, Log& log = silent_log());

}  // namespace nmt
