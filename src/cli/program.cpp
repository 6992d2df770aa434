#include "cli/program.h"

#include <mutex>

#include "common/io/standard_output.h"
#include "common/process/signals.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

std::mutex ending;  // locked for good by the thread that ends the program
std::function<void()> the_exit_hook;

}  // namespace

TerminalLog& program_log() {
  static TerminalLog log(with_options);
  return log;
}

JobContext program_job() {
  return {.stop = &InterruptGuard::stop_request(), .log = &program_log()};
}

void write_output(std::string_view text) {
  write_output(text, InterruptGuard::stop_request());
}

void end_program(std::string_view error) {
  ending.lock();  // wait until the process is gone
  program_log().line(LogLevel::error, error);
  if (the_exit_hook) the_exit_hook();
  end_at_once(1);
}

void set_exit_hook(std::function<void()> exit_hook) {
  const std::lock_guard lock(ending);
  the_exit_hook = std::move(exit_hook);
}

}  // namespace nmt
