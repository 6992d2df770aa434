// Runs other programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/job_context.h"

namespace nmt {

/// The destination of a program's standard error: its result, or the standard error of this process.
enum class StandardError : std::uint8_t { kept, shared };

struct ProgramSettings {
  StandardError standard_error = StandardError::kept;
  std::chrono::milliseconds timeout{0};  // then the program is ended; 0: no limit
  std::int64_t most_output = 64 << 20;   // approximate; a program that writes more bytes to a stream is ended
};

/// The result of running a program.
struct ProgramResult {
  bool found = false;       // whether the program exists
  bool timed_out = false;   // whether it was ended because it took too long
  bool is_endless = false;  // whether it was ended because it wrote too much
  int status = -1;          // exit code, or 128 plus the signal that ended it
  std::string output;       // what it wrote to standard output
  std::string errors;       // the first line of its standard error, if kept
};

/// Runs the program arguments[0], found as a shell finds it, with `input` as its standard input, until it
/// ends. Input and output are in memory as a whole; the program does not inherit other open files of this
/// process, such as its locks. Throws Error if no process can be started, Interrupted if `stop` requests to
/// stop. If the program is ended, the processes that it has started end as well.
ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input,
                          const StopRequest& stop = never_stopped(), const ProgramSettings& settings = {});

}  // namespace nmt
