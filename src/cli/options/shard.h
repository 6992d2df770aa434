// --shard: the part of a text that a command processes, so that several commands can share it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/options/value.h"

namespace nmt {

/// Adds `--shard I/N`.
void add_shard_option(Options& options, std::optional<std::string>& target);

/// Returns the lines of part `index` of `count` of a text, counted from 1. Parts are contiguous, differ by at
/// most one line in size, and parts 1 to `count` make up the text. If there are fewer lines than parts, some
/// parts are empty (last < first).
LineRange lines_of_shard(std::int64_t index, std::int64_t count, std::int64_t lines);

/// Returns the lines of the shard I/N of parallel files, whose lines it counts. Throws UsageError for an
/// invalid shard and for a file whose lines cannot be counted before it is read; Error if the files have
/// different numbers of lines.
LineRange shard_of_files(const std::string& shard, const std::vector<std::string>& files);

}  // namespace nmt
