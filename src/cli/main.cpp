// nmt: finds the subcommand, runs it, and turns exceptions into exit codes.
#include <csignal>
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

std::string overview() {
  std::string text =
      "nmt " NMT_VERSION ": neural machine translation\n\nusage: nmt <subcommand> [options]\n\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<10} {}\n", command.name, command.summary);
  }
  return text + "\nnmt <subcommand> --help tells more; nmt --version prints the version\n";
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
    write_output(overview());
    return 0;
  }
  if (arguments[0] == "--version") {
    write_output("nmt " NMT_VERSION "\n");
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
    return nmt::cli::run({argv + 1, argv + argc});
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
