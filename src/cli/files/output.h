// The destination of a command's data.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/atomic_file.h"
#include "common/io/packer.h"

namespace nmt {

/// Writes to a stream, where readers see each piece at once, or to a file, which appears complete at
/// commit(); see AtomicFile. Output is compressed if the name ends in .gz, .xz or .zst.
class Output {
 public:
  /// `path`: a file, or "-" for standard output. Throws Error if it cannot be written.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Appends text. Throws as AtomicFile does.
  void write(std::string_view text);
  /// Writes whole lines, which are kept even if the rest of the output never comes; see AtomicFile.
  /// Compressed lines can then be decompressed, and the bytes do not depend on how lines are grouped into
  /// calls.
  void write_lines(std::string_view lines);
  /// Completes the output. Call it once, last.
  void commit();

  /// Whether readers of `path` see each piece at once.
  static bool streams(const std::string& path);

 private:
  void end_packed();
  /// Ends a compressed block, so that all lines so far can be decompressed and are kept.
  void keep_packed();

  std::string path_;
  AtomicFile file_;
  std::unique_ptr<Packer> packer_;  // null: no compression
  std::size_t pending_ = 0;         // bytes of lines since the last compressed block
  bool is_packed_ = false;          // whether the output is complete, so that the packer takes no more
};

/// Throws UsageError if the extension of `path` is that of another kind of file than `what` ("a vocabulary"),
/// whose extension is `own`. Other extensions, streams and names without an extension are accepted.
void check_extension(const std::string& path, std::string_view what, std::string_view own,
                     std::string_view option = "--output");

/// Checks before the work that a command can write a binary file at its end, with check_extension(). Throws
/// UsageError if `path` is "-" and standard output is a terminal, Error if the file cannot be written.
void check_binary_output(const std::string& path, std::string_view what, std::string_view own);

/// Returns the format in `formats` that matches the extension of `path`, ignoring .gz and the like (map.svg,
/// weights.tsv.gz); the first format for a stream or a name without extension. Throws UsageError for other
/// extensions.
std::string format_by_name(const std::string& path, const std::vector<std::string>& formats);

}  // namespace nmt
