// The end of a run: the average of its checkpoints, chosen and checked with its validation text, and the
// final messages.
#pragma once

#include <string>
#include <vector>

#include "backend/factory.h"
#include "train/run/checkpoints.h"

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

/// Writes to `output` a greedy average of a run (the greedy soup of Wortsman et al., 2022): begins with the
/// best checkpoint, and adds the others, from the best to the worst, each if the translations of the
/// validation text do not become worse by it. Measures as write_average_of_run() does, without a limit of
/// time. Logs what was written. Throws Error if the directory has no checkpoint, or there is nothing to
/// measure.
void write_greedy_average_of_run(const std::string& run, const std::string& output,
                                 const DeviceSettings& device);

/// Logs the best validation of the run in this directory, by the figure `best_by`, and the file of its model.
void log_best(const std::string& run, const BestValidations::Entry& best, const std::string& best_by);

/// Logs the result of the run in this directory: the best validation (the first of `best`, by the figure
/// `best_by`), the file of its model, and the next command to run. This command translates, or scores for a
/// language model, which has no source.
void log_outcome(const std::string& path, const std::vector<BestValidations::Entry>& best,
                 const std::string& best_by, bool has_source);

/// Quotes `path` for a shell if it contains anything but letters, digits and `./_-+,@`; the result never
/// looks like an option.
std::string shell_word(const std::string& path);

}  // namespace nmt
