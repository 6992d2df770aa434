// Settings of nmt train for validations, reports and checkpoints.
#pragma once

#include "cli/options/options.h"
#include "train/settings.h"

namespace nmt {

/// Adds the settings, bound to `settings`.
void add_report_options(Options& options, TrainingSettings& settings);

/// Throws UsageError if a setting lacks what it measures: a command, or translations of the validation text.
void check_report_options(const Options& options, const TrainingSettings& settings);

}  // namespace nmt
