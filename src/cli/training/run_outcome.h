// What to tell when a run is done.
#pragma once

#include <string>
#include <vector>

#include "train/run/best.h"

namespace nmt {

/// Logs of the run in this directory the best validation (the first of `best`, by the figure `best_by`),
/// where its model is, and the command that makes use of the run: it translates, or scores where it is that
/// of a language model, which has no source.
void log_outcome(const std::string& path, const std::vector<BestValidations::Entry>& best,
                 const std::string& best_by, bool has_source);

/// `path` as a shell reads it back: in quotes where it holds more than letters, digits and `./_-+,@`, and
/// never like an option.
std::string shell_word(const std::string& path);

}  // namespace nmt
