// Which settings of a continued run may change.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

namespace nmt {

/// Compares settings with `config`, the configuration with which the run in directory `run` began. Throws
/// UsageError if a setting has changed on which the training so far depends: the model, its initial weights,
/// the seed, the order of the data.
void check_continued_run(const Options& options, const std::string& run, const std::string& config);

/// Describes each other setting that has changed.
std::vector<std::string> changes_of_run(const Options& options, const std::string& config);

}  // namespace nmt
