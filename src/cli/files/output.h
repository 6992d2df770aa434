// Where the data of a command go.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/atomic_file.h"
#include "common/io/packer.h"

namespace nmt {

/// A stream, where readers see each piece at once, or a file, which appears whole at commit(): see
/// AtomicFile. What a name that ends in .gz, .xz or .zst is given is packed.
class Output {
 public:
  /// `path`: a file, or "-" for standard output. Throws Error when it cannot be written.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Throws as AtomicFile does.
  void write(std::string_view text);
  /// Writes whole lines, which are kept where those behind them do not come; see AtomicFile. What is packed
  /// can be unpacked then, and is the same bytes however lines are handed over.
  void write_lines(std::string_view lines);
  /// Call once, last.
  void commit();

  /// Whether readers of `path` see each piece at once.
  static bool streams(const std::string& path);

 private:
  void end_packed();
  /// Lines up to here can be unpacked, and are kept.
  void keep_packed();

  std::string path_;
  AtomicFile file_;
  std::unique_ptr<Packer> packer_;  // none: bytes as they are
  std::size_t pending_ = 0;         // bytes of lines since what is kept
  bool is_packed_ = false;          // all that was written, by a packer that can pack no more
};

/// For a command that writes a binary file at the end: throws UsageError where `path` is "-" and a terminal,
/// Error where it cannot be written, before the work.
void check_binary_output(const std::string& path);

/// The one of `formats` that the name of `path` ends in, before .gz and its like (map.svg, weights.tsv.gz);
/// the first for a stream, and for a name without an ending. Throws UsageError for other endings.
std::string format_by_name(const std::string& path, const std::vector<std::string>& formats);

}  // namespace nmt
