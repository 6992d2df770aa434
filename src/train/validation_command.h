// Validation by a user's command.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "common/job_context.h"

namespace nmt {

/// Runs a command by the shell, with `file`, which contains the translations, as an additional argument, and
/// returns the number it prints. Returns nothing, after a warning that says why, if the command cannot be
/// run, fails, takes longer than `timeout` (0: no limit), or prints something else; training goes on without
/// this figure. Throws Interrupted, after the command has ended, if the job is to end.
std::optional<double> command_figure(const std::string& command, const std::string& file,
                                     std::chrono::milliseconds timeout, const JobContext& job);

}  // namespace nmt
