#include "train/validation_command.h"

#include <cmath>
#include <string_view>

#include "common/error.h"
#include "common/process/program.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "metrics/words.h"

namespace nmt {
namespace {

constexpr std::int64_t kMostOutput = 1 << 20;

/// Runs the command and returns its number. Throws Error that says what went wrong.
double number_of_command(std::string_view command, const std::string& file, std::chrono::milliseconds timeout,
                         StopRequest& stop) {
  // A trailing line break from YAML would separate the command from its argument.
  const std::string line = fmt::format("{} \"$@\"", strip(command));
  const InterruptDeferral until_it_has_ended(stop);
  const ProgramResult result =
      run_program({"/bin/sh", "-c", line, "nmt", file}, "", stop,
                  {.standard_error = StandardError::shared, .timeout = timeout, .most_output = kMostOutput});
  if (!result.found) throw Error("there is no /bin/sh");
  if (result.is_endless) throw Error("it was stopped, because it prints more than a number");
  if (result.timed_out) {
    throw Error("it was stopped after {}; a longer `valid_timeout` gives it more time",
                format_seconds(std::chrono::duration<double>(timeout).count()));
  }
  if (result.status != 0) stop.check();  // a signal that ends a job may go to all of its processes
  if (result.status != 0) throw Error("its exit code is {}", result.status);
  const std::string_view output = strip(result.output);
  const auto number = number_of<double>(output);
  if (!number || !std::isfinite(*number))
    throw Error("it printed {}, not a number", quoted(std::string(output)));
  return *number;
}

}  // namespace

std::optional<double> command_figure(const std::string& command, const std::string& file,
                                     std::chrono::milliseconds timeout, const JobContext& job) {
  try {
    return number_of_command(command, file, timeout, *job.stop);
  } catch (const Error& error) {
    job.log->warning("`valid_command` failed, so this validation has no figure 'command': {}", error.what());
    return std::nullopt;
  }
}

}  // namespace nmt
