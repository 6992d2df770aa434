// What there is one of in the program: its log, its signals, its standard output, and its end.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "common/log/terminal_log.h"
#include "common/process/job_context.h"

namespace nmt {

/// The log of the program, which names settings as options.
TerminalLog& program_log();

/// What the program gives its work: that log, and signals as requests to end (see InterruptGuard).
JobContext program_job();

/// Tells program_log().
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  program_log().info(format, std::forward<Args>(args)...);
}
template <class... Args>
void log_verbose(fmt::format_string<Args...> format, Args&&... args) {
  program_log().verbose(format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  program_log().warning(format, std::forward<Args>(args)...);
}

/// Writes data to standard output. Throws as write_output() of common/io/standard_output.h, by signals.
void write_output(std::string_view text);

/// Ends the program at once with exit code 1, after this error was logged. On any thread; of several, the
/// first one tells.
[[noreturn]] void end_program(std::string_view error);

/// What that calls when the error is logged, lest others have to find out: in a process for which others
/// wait. Empty: nothing.
void set_exit_hook(std::function<void()> exit_hook);

}  // namespace nmt
