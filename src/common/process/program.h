// Other programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/process/stop_request.h"

namespace nmt {

/// Where a program's standard error goes: into its result, or to where this process writes its own.
enum class StandardError : std::uint8_t { kept, shared };

struct ProgramSettings {
  StandardError standard_error = StandardError::kept;
  std::chrono::milliseconds timeout{0};  // after which the program is ended; 0: none
  std::int64_t most_output = 64 << 20;   // about; a program that writes more bytes to a stream is ended
};

/// What became of a program.
struct ProgramResult {
  bool found = false;       // there is such a program
  bool timed_out = false;   // it was ended, as it took too long
  bool is_endless = false;  // it was ended, as it wrote too much
  int status = -1;          // its exit code, or 128 and the signal that ended it
  std::string output;       // what it wrote to standard output
  std::string errors;       // the first line that it wrote to standard error, where that is kept
};

/// Runs the program that is called arguments[0], found as a shell finds it, with `input` as its standard
/// input, to its end. Input and output are in memory as a whole; other files that this process has open, its
/// locks among them, it does not get. Throws Error when there can be no process, Interrupted when `stop` asks
/// for the end. Where this ends the program, what the program has started ends with it.
ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input,
                          const StopRequest& stop = never_stopped(), const ProgramSettings& settings = {});

}  // namespace nmt
