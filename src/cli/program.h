// The program: its subcommands, and the command that a command line names.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/job_context.h"
#include "common/log/terminal_log.h"

namespace nmt {

using Arguments = std::vector<std::string>;

/// A subcommand: takes the arguments after its name and returns the exit code. Errors are exceptions.
struct Command {
  const char* name;
  const char* group;  // heading in the list of subcommands
  const char* summary;
  int (*run)(const Arguments&);
};

// The functions of the subcommands; --help of each lists its settings.
int run_vocab(const Arguments& arguments);
int run_batch(const Arguments& arguments);
int run_train(const Arguments& arguments);
int run_average(const Arguments& arguments);
int run_convert(const Arguments& arguments);
int run_translate(const Arguments& arguments);
int run_serve(const Arguments& arguments);
int run_score(const Arguments& arguments);
int run_shortlist(const Arguments& arguments);
int run_attention(const Arguments& arguments);
int run_bleu(const Arguments& arguments);
int run_report(const Arguments& arguments);
int run_info(const Arguments& arguments);
int run_plot(const Arguments& arguments);

/// Returns all subcommands in the order in which `nmt` lists them, which is the order of use.
const std::vector<Command>& commands();

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

/// Writes data to standard output. Throws as write_output() of common/file_descriptor.h does, and stops on
/// signals.
void write_output(std::string_view text);

/// Ends the program at once with exit code 1 after logging this error. May be called on any thread; if
/// several call it, only the first one logs.
[[noreturn]] void end_program(std::string_view error);

/// Sets a function that end_program() calls after the error is logged, to inform processes that wait for this
/// one. Empty: none.
void set_exit_hook(std::function<void()> exit_hook);

}  // namespace nmt
