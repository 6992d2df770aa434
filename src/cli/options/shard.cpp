#include "cli/options/shard.h"

#include <filesystem>
#include <utility>

#include "cli/options/value.h"
#include "cli/program.h"
#include "common/error.h"
#include "common/io/folder.h"
#include "common/io/text_reader.h"
#include "common/text/number.h"

namespace nmt {
namespace {

constexpr std::int64_t kMostShards = 1'000'000;

/// Parses I and N.
std::pair<std::int64_t, std::int64_t> parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto read = [](const std::string& number, std::int64_t& value) {
    return ValueType<std::int64_t>::read(number, value) == Reading::good;
  };
  std::int64_t index = 0, count = 0;
  const bool is_read =
      slash != std::string::npos && read(text.substr(0, slash), index) && read(text.substr(slash + 1), count);
  if (!is_read || index < 1 || count < index || count > kMostShards) {
    throw UsageError(
        "--shard '{}' is not a part of a text: write I/N, such as 2/8, with I from 1 to N and N at most {}",
        text, kMostShards);
  }
  return {index, count};
}

std::int64_t count_lines_before(const std::string& file) {
  if (file == "-" || !is_file(file)) {
    throw UsageError(
        "--shard counts the lines of a file before it reads them, which is impossible with {}; write the "
        "text to a file",
        file == "-" ? display_name(file) : "'" + file + "'");
  }
  return count_lines(file, *program_job().stop);
}

}  // namespace

void add_shard_option(Options& options, std::optional<std::string>& target) {
  options.add("shard", target, "I/N",
              "process only part I of N of the lines. The concatenated outputs of 1/N to N/N equal the "
              "output for the whole text. The input must be files.");
}

LineRange lines_of_shard(std::int64_t index, std::int64_t count, std::int64_t lines) {
  // Uses quotient and remainder, as lines * count may overflow.
  const auto before = [&](std::int64_t shards) {
    return lines / count * shards + lines % count * shards / count;
  };
  return {before(index - 1) + 1, before(index)};
}

LineRange shard_of_files(const std::string& shard, const std::vector<std::string>& files) {
  const auto [index, count] = parse_shard(shard);
  const std::int64_t lines = count_lines_before(files.front());
  for (const std::string& file : files) {
    const std::int64_t others = &file == &files.front() ? lines : count_lines_before(file);
    if (others == lines) continue;
    throw Error("'{}' has {}, but '{}' has {}; they must have the same number of lines", files.front(),
                count_of(lines, "line"), file, others);
  }
  return lines_of_shard(index, count, lines);
}

}  // namespace nmt
