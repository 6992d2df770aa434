// Settings that several subcommands share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/factory.h"
#include "cli/options/options.h"
#include "common/process/resources.h"

namespace nmt {

/// The selection and the destination of a command's messages. These settings do not affect results, so they
/// are never part of a resolved configuration.
struct LogOptions {
  bool quiet = false;
  bool verbose = false;
  std::optional<std::string> log_file;
  std::string color = "auto";
};

/// Adds `--quiet`, `--verbose`, `--log-file` and `--color`, which every command has.
void add_log_options(Options& options, LogOptions& target);

/// Sets level, color and file of the log, and logs a warning for each given option that has no effect. Throws
/// UsageError if quiet and verbose are both on, Error if the file cannot be written.
void apply(const Options& options, const LogOptions& log);

/// Adds the log options, parses `arguments` and applies the log options; returns what Options::parse() does.
bool parse_with_log_options(Options& options, const std::vector<std::string>& arguments, LogOptions& log);

/// The kind of computation; some precisions are for inference only.
enum class Work : std::uint8_t { training, inference };

/// Adds `--threads` (default: `cores`), `--device`, `--precision` and `--cpu-isa`, for commands that compute.
void add_device_options(Options& options, DeviceSettings& target, Work work, int cores = cores_available());

/// Adds `--streams`, by default more than one, for inference with several workers on one device.
void add_streams_option(Options& options, DeviceSettings& target);

/// Adds `--seed`, for commands that draw random numbers.
void add_seed_option(Options& options, std::uint64_t& target);

}  // namespace nmt
