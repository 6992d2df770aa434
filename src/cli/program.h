// The singletons of the program: its log, its signals, its standard output, and its exit.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "common/job_context.h"
#include "common/log/terminal_log.h"

namespace nmt {

/// Returns the log of the program, which calls settings by their option names.
TerminalLog& program_log();

/// Returns the context of the program's work: program_log(), and signals as requests to stop (see
/// InterruptGuard).
JobContext program_job();

/// Log to program_log().
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

/// Writes data to standard output. Throws as write_output() of common/io/standard_output.h does, and stops on
/// signals.
void write_output(std::string_view text);

/// Ends the program at once with exit code 1 after logging this error. May be called on any thread; if
/// several call it, only the first one logs.
[[noreturn]] void end_program(std::string_view error);

/// Sets a function that end_program() calls after the error is logged, to inform processes that wait for this
/// one. Empty: none.
void set_exit_hook(std::function<void()> exit_hook);

}  // namespace nmt
