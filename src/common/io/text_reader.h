// Reads text files line by line.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/byte_source.h"
#include "common/job_context.h"

namespace nmt {

/// Whether a carriage return before a line feed is kept, as metrics need it, or dropped, as for corpora.
enum class CarriageReturn { keep, drop };

/// Maximum bytes of a line of text.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

/// Reads UTF-8 text. Lines end only with a line feed; a last line without one counts. A leading byte order
/// mark is dropped; invalid bytes, including zeros, become U+FFFD and are counted. gzip, xz and zstd are
/// decompressed, "-" is standard input (see open_bytes()).
class TextReader {
 public:
  /// `most`: of a longer line, only the beginning is read, slightly more than `most` bytes, so that the
  /// caller sees that it is too long; without `most`, a line longer than kLongestLine is an error. `job`:
  /// requests to stop while reading waits, and the log for warnings of invalid bytes. Throws Error if the
  /// file cannot be opened.
  explicit TextReader(const std::string& path, CarriageReturn carriage_return = CarriageReturn::keep,
                      std::optional<std::size_t> most = std::nullopt, const JobContext& job = {});

  /// Reads the next line, without its end, into `line`. Returns false at the end of the file, after a warning
  /// about invalid bytes if there were any. Throws Error for damaged files, lines that are too long, and
  /// files in UTF-16 or UTF-32.
  bool next(std::string& line);
  /// Whether only the beginning of the last line was read.
  bool is_beginning() const { return is_beginning_; }
  /// Whether next() returns without waiting for the writer of a pipe: a whole line or the end has arrived.
  /// Reads what has arrived, and throws as next() does.
  bool is_ready() { return fetch(false); }

  /// Restricts reading to the lines `first` to `last`, counted from 1 (none if last < first). Call it before
  /// anything is read. Throws as next() does for the lines before them.
  void restrict_to(std::int64_t first, std::int64_t last);

  /// Warns of invalid bytes so far, once, if the caller stops reading before the end.
  void warn();

  /// Returns the name of the file for messages.
  const std::string& name() const { return name_; }
  /// Returns the number of lines read so far, which is the number of the last line, counted from 1.
  std::int64_t line_number() const { return line_number_; }
  /// Returns how much of the file, or of the lines that it is restricted to, has been read; see ByteSource.
  std::optional<double> part_read() const;
  /// Returns the number of bytes replaced so far.
  std::int64_t invalid_bytes() const { return invalid_bytes_; }

 private:
  /// Completes the current line; returns false if it is incomplete and `may_wait` is false.
  bool fetch(bool may_wait);
  bool read_raw_line(std::string& line);
  void append(const char* bytes, std::size_t size);
  void check_encoding(std::string_view line);

  std::string name_;
  Log* log_;
  CarriageReturn carriage_return_;
  std::optional<std::size_t> most_;
  std::unique_ptr<ByteSource> source_;
  std::string head_;  // the first bytes, which reveal the encoding
  std::string line_;  // the next line, as far as it is read
  bool has_begun_ = false, is_complete_ = false;
  std::vector<char> buffer_;
  std::size_t position_ = 0, end_ = 0;
  double buffer_begin_ = 0;  // position of the buffer in the file, from 0 to 1
  std::int64_t before_ = 0,
               last_ = std::numeric_limits<std::int64_t>::max();  // number of the last skipped line and of
                                                                  // the last line to read
  std::int64_t line_number_ = 0, invalid_bytes_ = 0;
  bool finished_ = false, warned_ = false, is_beginning_ = false;
};

/// Returns all lines of a file. Throws as TextReader does.
std::vector<std::string> read_lines(const std::string& path,
                                    CarriageReturn carriage_return = CarriageReturn::keep,
                                    const JobContext& job = {});

/// Returns the number of lines that TextReader reads from a file. Throws Error as open_bytes() does, and
/// Interrupted if `stop` requests to stop.
std::int64_t count_lines(const std::string& path, const StopRequest& stop = never_stopped());

/// Warns of `invalid_bytes` in a file, if there are any.
void warn_of_invalid_bytes(const std::string& name, std::int64_t invalid_bytes, Log& log);

}  // namespace nmt
