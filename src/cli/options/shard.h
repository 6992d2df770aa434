// --shard: which part of a text a command takes, so that several of them share it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/line_range.h"
#include "cli/options/options.h"

namespace nmt {

/// `--shard I/N`.
void add_shard_option(Options& options, std::optional<std::string>& target);

/// The lines of part `index` of `count` of a text, counted from 1: next to each other, parts differ by one
/// line at most, and parts 1 to `count` are the whole. Where there are fewer lines than parts, some parts
/// have none (last < first).
LineRange lines_of_shard(std::int64_t index, std::int64_t count, std::int64_t lines);

/// The same for `shard`, I/N, of files whose lines belong together; counts them. Throws UsageError for what
/// names no part, and for a file whose lines cannot be counted before they are read; Error where files have
/// different numbers of lines.
LineRange shard_of_files(const std::string& shard, const std::vector<std::string>& files);

}  // namespace nmt
