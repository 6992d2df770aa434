// Validation by a command of the user's.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "common/process/job_context.h"

namespace nmt {

/// The number that a command prints which the shell runs with `file`, that of the translations, after its
/// arguments. Nothing, after a warning that says why, where it cannot be run, fails, takes longer than
/// `timeout` (0: any time), or prints something else: training goes on without that figure. Throws
/// Interrupted when the job is to end; the command has ended then.
std::optional<double> command_figure(const std::string& command, const std::string& file,
                                     std::chrono::milliseconds timeout, const JobContext& job);

}  // namespace nmt
