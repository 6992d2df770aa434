// The final messages of a run.
#pragma once

#include <string>
#include <vector>

#include "train/run/best.h"

namespace nmt {

/// Logs for the run in this directory the best validation (the first of `best`, by the figure `best_by`), the
/// file of its model, and the next command to run: translating, or scoring for a language model, which has no
/// source.
void log_outcome(const std::string& path, const std::vector<BestValidations::Entry>& best,
                 const std::string& best_by, bool has_source);

/// Quotes `path` for a shell if it contains anything but letters, digits and `./_-+,@`; the result never
/// looks like an option.
std::string shell_word(const std::string& path);

}  // namespace nmt
