// Reads translations to score and their references segment by segment, so that memory does not grow with the
// text.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "common/io/text_reader.h"

namespace nmt {

/// The sources of segments.
struct SegmentSources {
  std::vector<std::string> references;  // files; lines end with "\n" alone
  std::size_t columns = 1;  // references per line, separated by tabs; the last one is the rest of the line
  /// One file per system, named by its path; empty: standard input, as in sacrebleu. In standard input,
  /// columns separated by tabs are systems, called "System 1" and so on if the first line has several; a lone
  /// "\r" ends a line too.
  std::vector<std::string> systems;
  std::optional<std::string> source;  // file of the texts that were translated
};

/// Maximum bytes of a line. Metrics take up to a hundred bytes of memory per byte of a segment; TER and
/// single letters take two hundred.
constexpr std::size_t kLongestSegment = std::size_t{4} << 20;

/// One segment of all systems and references, without white space at the ends of lines.
struct Segment {
  std::vector<std::string> hypotheses;  // by system
  std::vector<std::string> references;
  std::string source;  // empty if no source is read
};

class SegmentReader {
 public:
  /// Opens the files. Throws Error as TextReader does, for lines longer than kLongestSegment, and if there is
  /// no hypothesis.
  explicit SegmentReader(const SegmentSources& sources);

  /// Returns the names of the systems.
  const std::vector<std::string>& systems() const { return systems_; }
  /// Returns the number of references per segment.
  std::size_t references() const { return references_.size() * columns_; }

  /// Reads the next segment; returns false at the end. Throws Error if the texts differ in their numbers of
  /// lines or columns.
  bool next(Segment& segment);
  /// Returns how much of the text has been read; see ByteSource.
  std::optional<double> part_read() const { return hypotheses_[0].part_read(); }

 private:
  /// A file whose lines are counted as they are read.
  class Lines {
   public:
    Lines(const std::string& path, bool universal);
    bool next(std::string& line);
    const std::string& name() const { return reader_.name(); }
    std::int64_t count() const { return count_; }
    std::optional<double> part_read() const { return reader_.part_read(); }
    void read_rest();

   private:
    bool read(std::string& line);

    TextReader reader_;
    bool universal_;  // whether "\r" ends a line
    std::deque<std::string> pieces_;
    std::int64_t count_ = 0;
  };

  bool next_hypotheses(std::vector<std::string>& hypotheses);
  bool next_references(std::vector<std::string>& references);
  [[noreturn]] void fail_of_unequal_length();

  std::size_t columns_;
  bool from_stream_;
  std::deque<Lines> references_, hypotheses_, source_;  // at most one source
  std::vector<std::string> systems_, first_;            // names, and the hypotheses of the first segment
  bool is_first_ = true;
};

}  // namespace nmt
