// The average of the checkpoints of a run, chosen and checked by its validation text.
#pragma once

#include <string>
#include <vector>

#include "backend/factory.h"

namespace nmt {

/// The figure by which models of a run are compared: the metric that tells its best one, else BLEU where its
/// validations translate, else perplexity. Throws UsageError where its configuration cannot be read.
std::string figure_of_comparison(const std::string& run);

/// The figure that told the best model of a run; perplexity where its configuration does not say so, or is
/// missing. Throws as above.
std::string best_by_of_run(const std::string& run);

/// Writes to `output` the best of these: the average of checkpoints_to_average(), that of the newer half of
/// them, and the best checkpoint. All are measured as the validations of the run were, unless these translate
/// nothing, their text is gone, or a minute does not suffice; then the average is written, or, where there is
/// none, the best checkpoint. Logs what was written, and why. Throws Error where the directory has no
/// checkpoint.
void write_average_of_run(const std::string& run, const std::string& output, const DeviceSettings& device);

}  // namespace nmt
