// Validation by a command of the user's.
#pragma once

#include <optional>
#include <string>

#include "common/process/job_context.h"

namespace nmt {

/// The number that a command prints which the shell runs with `file`, that of the translations, behind its
/// arguments. Nothing, after a warning that says why, where it cannot be run, fails, or prints something
/// else: training goes on without that figure. Throws Interrupted when the job is to end; the command has
/// ended then.
std::optional<double> command_figure(const std::string& command, const std::string& file,
                                     const JobContext& job);

}  // namespace nmt
