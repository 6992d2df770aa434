// nmt: finds the subcommand, runs it, and turns exceptions into exit codes.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/command.h"
#include "cli/spelling.h"
#include "cli/standard_output.h"
#include "common/error.h"
#include "common/interrupt.h"
#include "common/log.h"

namespace nmt::cli {
namespace {

void print_overview() {
  std::printf("nmt %s: neural machine translation\n\nusage: nmt <subcommand> [options]\n\n", NMT_VERSION);
  for (const Command& command : commands()) std::printf("  %-10s %s\n", command.name, command.summary);
  std::printf("\nnmt <subcommand> --help tells more; nmt --version prints the version\n");
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (name == command.name) return command;
    names.emplace_back(command.name);
  }
  throw UsageError("unknown subcommand '{}'{}; run nmt --help for the list", name, did_you_mean(name, names));
}

int run(const Arguments& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
    print_overview();
    return 0;
  }
  if (arguments[0] == "--version") {
    std::printf("nmt %s\n", NMT_VERSION);
    return 0;
  }
  return find_command(arguments[0]).run({arguments.begin() + 1, arguments.end()});
}

}  // namespace
}  // namespace nmt::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write, so that everything is left in order
  using nmt::LogLevel;
  const nmt::InterruptGuard guard;
  try {
    const int code = nmt::cli::run({argv + 1, argv + argc});
    nmt::cli::flush_output();
    return code;
  } catch (const nmt::Interrupted& interrupted) {
    return 128 + interrupted.signal();
  } catch (const nmt::cli::OutputClosed&) {
    return 128 + SIGPIPE;
  } catch (const nmt::UsageError& error) {
    nmt::log_line(LogLevel::error, error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    nmt::log_line(LogLevel::error, "out of memory; use smaller batches (--batch-tokens) or a smaller model");
    return 1;
  } catch (const std::exception& error) {
    nmt::log_line(LogLevel::error, error.what());
    return 1;
  }
}
