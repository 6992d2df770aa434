// The settings that subcommands share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "cli/options/options.h"
#include "common/process/cores.h"

namespace nmt {

/// What a command says, and where. Without bearing on results, so never part of a resolved configuration.
struct LogOptions {
  bool quiet = false;
  bool verbose = false;
  std::optional<std::string> log_file;
  std::string color = "auto";
};

/// `--quiet`, `--verbose`, `--log-file`, `--color`: for every command.
void add_log_options(Options& options, LogOptions& target);

/// Sets level, colour and file of the log, and tells it what of the options has no effect. Throws
/// UsageError when quiet and verbose are both on, Error when the file cannot be written.
void apply(const Options& options, const LogOptions& log);

/// Adds the options of the log, parses `arguments` and applies what they say of it; returns what
/// Options::parse() does.
bool parse_with_log_options(Options& options, const std::vector<std::string>& arguments, LogOptions& log);

/// What is computed; there are precisions for inference alone.
enum class Work : std::uint8_t { training, inference };

/// `--threads` (default: `cores`), `--device`, `--precision`, `--cpu-isa`: for commands that
/// compute.
void add_device_options(Options& options, DeviceSettings& target, Work work, int cores = cores_available());

/// `--streams`, several by default: for inference that shares work among the workers of a device.
void add_streams_option(Options& options, DeviceSettings& target);

/// `--seed`: for commands that draw random numbers.
void add_seed_option(Options& options, std::uint64_t& target);

}  // namespace nmt
