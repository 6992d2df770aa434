// The average of the checkpoints of a run, chosen and checked with its validation text.
#pragma once

#include <string>
#include <vector>

#include "backend/factory.h"

namespace nmt {

/// Returns the figure by which models of a run are compared: the metric that selects its best model, else
/// BLEU if its validations translate, else perplexity. Throws UsageError if its configuration cannot be read.
std::string figure_of_comparison(const std::string& run);

/// Returns the figure that selected the best model of a run; perplexity if its configuration does not name
/// one or is missing. Throws as figure_of_comparison() does.
std::string best_by_of_run(const std::string& run);

/// Writes to `output` the best of three candidates: the average of checkpoints_to_average(), the average of
/// their newer half, and the best checkpoint. All are measured as the validations of the run were. If the
/// validations translate nothing, their text is gone, or measuring takes more than a minute, writes the
/// average without comparing, or if there is none, the best checkpoint. Logs what was written, and why.
/// Throws Error if the directory has no checkpoint.
void write_average_of_run(const std::string& run, const std::string& output, const DeviceSettings& device);

}  // namespace nmt
