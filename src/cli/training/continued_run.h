// What a run that goes on may be told anew, and what not.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

namespace nmt {

/// Compares settings with `config`, the file of those under which the run in directory `run` began. Throws
/// UsageError when one has changed on which all that was trained so far depends: the model, the weights that
/// it began with, the seed, the order of the data.
void check_continued_run(const Options& options, const std::string& run, const std::string& config);

/// Which of the others have changed, a text each.
std::vector<std::string> changes_of_run(const Options& options, const std::string& config);

}  // namespace nmt
