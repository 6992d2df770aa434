// What a run that goes on may be told anew, and what not.
#pragma once

#include <string>
#include <vector>

#include "cli/options/options.h"

namespace nmt {

/// Compares settings with the file of those under which the run in directory `run` began, and tells which
/// have changed, a text each. Throws UsageError when one has on which all that was trained so far depends:
/// the model, the seed, the order of the data.
std::vector<std::string> check_continued_run(const Options& options, const std::string& run,
                                             const std::string& config);

}  // namespace nmt
