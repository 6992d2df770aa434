// The settings that subcommands share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options.h"

namespace nmt::cli {

/// What a command says, and where. Without bearing on results, so never part of a resolved configuration.
struct LogOptions {
  bool quiet = false;
  bool verbose = false;
  std::optional<std::string> log_file;
  std::string color = "auto";
};

/// How a command computes.
struct ComputeOptions {
  int threads = 1;
  std::uint64_t seed = 1;
  std::string device = "auto";
  std::string cpu_isa = "auto";
};

/// Cores that this process may run on, its affinity honoured; at least 1.
int cores_available();

/// `--quiet`, `--verbose`, `--log-file`, `--color`: for every command.
void add_log_options(Options& options, LogOptions& target);

/// Sets level, colour and file of the log. Throws UsageError when quiet and verbose are both on, Error when
/// the file cannot be written.
void apply(const LogOptions& log);

/// `--threads` (default: cores_available()), `--seed`, `--device`, `--cpu-isa`: for commands that compute.
void add_compute_options(Options& options, ComputeOptions& target);

}  // namespace nmt::cli
