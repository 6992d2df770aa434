// Text files line by line.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/byte_source.h"
#include "common/process/job_context.h"

namespace nmt {

/// What becomes of a carriage return before a line feed: metrics see it, corpora do not.
enum class CarriageReturn { keep, drop };

/// Longest line that is taken for text.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

/// Reads UTF-8 text. Lines end with "\n" alone; a last line without one counts. A leading byte order mark is
/// dropped; invalid bytes, zeros among them, become U+FFFD and are counted. gzip, xz and zstd are unpacked,
/// "-" is standard input (see open_bytes).
class TextReader {
 public:
  /// Of a line above `most` bytes only the beginning is read, of a little more than `most`, so that whoever
  /// takes no more sees that it is too long; without, a line above kLongestLine is an error. Throws Error
  /// when the file cannot be opened. `job`: reading that waits asks it whether to stop, and tells it of
  /// invalid bytes.
  explicit TextReader(const std::string& path, CarriageReturn carriage_return = CarriageReturn::keep,
                      std::optional<std::size_t> most = std::nullopt, const JobContext& job = {});

  /// Puts the next line, without its end, into `line`; false at the end of the file, where a warning tells of
  /// invalid bytes. Throws Error for damaged files, lines that are too long, and files that begin as UTF-16
  /// or UTF-32 do.
  bool next(std::string& line);
  /// Whether the last line has more than the beginning that was read of it.
  bool is_beginning() const { return is_beginning_; }
  /// Whether next() need not wait for whoever writes the file, as into a pipe: a whole line has come, or the
  /// end. Reads what has come, and throws as next() does.
  bool is_ready() { return fetch(false); }

  /// From now on, reads the lines first to last alone, counted from 1 (none where last < first), of a file of
  /// which nothing has been read. Throws as next() does for those before them.
  void restrict_to(std::int64_t first, std::int64_t last);

  /// Tells of invalid bytes so far, for who reads no further; once, as next() does.
  void warn();

  /// What messages call the file.
  const std::string& name() const { return name_; }
  /// Number of lines read so far: the number of the last line, counted from 1.
  std::int64_t line_number() const { return line_number_; }
  /// How much of the file, or of the lines that it is restricted to, has been read; see ByteSource.
  std::optional<double> part_read() const;
  /// Number of bytes replaced so far.
  std::int64_t invalid_bytes() const { return invalid_bytes_; }

 private:
  /// Completes the line that is begun; false: only as far as it has come, and not `may_wait`.
  bool fetch(bool may_wait);
  bool read_raw_line(std::string& line);
  void append(const char* bytes, std::size_t size);
  void check_encoding(std::string_view line);

  std::string name_;
  Log* log_;
  CarriageReturn carriage_return_;
  std::optional<std::size_t> most_;
  std::unique_ptr<ByteSource> source_;
  std::string head_;  // the first bytes, by which encodings are known
  std::string line_;  // the next one, as far as it is read
  bool has_begun_ = false, is_complete_ = false;
  std::vector<char> buffer_;
  std::size_t position_ = 0, end_ = 0;
  double buffer_begin_ = 0;  // the part of the file before the buffer
  std::int64_t before_ = 0, last_ = std::numeric_limits<std::int64_t>::max();  // of the lines that are read
  std::int64_t line_number_ = 0, invalid_bytes_ = 0;
  bool finished_ = false, warned_ = false, is_beginning_ = false;
};

/// All lines of a file. Throws as TextReader does.
std::vector<std::string> read_lines(const std::string& path,
                                    CarriageReturn carriage_return = CarriageReturn::keep,
                                    const JobContext& job = {});

/// How many lines TextReader reads of a file. Throws Error as open_bytes() does, and Interrupted when `stop`
/// asks for the end.
std::int64_t count_lines(const std::string& path, const StopRequest& stop = never_stopped());

/// The warning about `invalid_bytes` in a file, if there are any.
void warn_of_invalid_bytes(const std::string& name, std::int64_t invalid_bytes, Log& log);

}  // namespace nmt
