// Translations to be scored and their references, segment by segment, so that memory does not grow with them.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "common/io/text_reader.h"

namespace nmt {

/// Where segments come from.
struct SegmentSources {
  std::vector<std::string> references;  // files; lines end with "\n" alone
  std::size_t columns = 1;  // references in a line, separated by tabs, the last with the rest of it
  /// Files of which each is a system, named by its path; none: standard input, as sacrebleu takes it. There
  /// columns separated by tabs are systems, "System 1" and so on where the first line has several; a lone
  /// "\r" ends a line too.
  std::vector<std::string> systems;
};

/// Longest line that is taken for a segment. Metrics take up to a hundred bytes of memory for each of its
/// bytes, TER and single letters two hundred.
constexpr std::size_t kLongestSegment = std::size_t{4} << 20;

/// White space at the end of a line is dropped.
struct Segment {
  std::vector<std::string> hypotheses;  // by system
  std::vector<std::string> references;
};

class SegmentReader {
 public:
  /// Throws Error as TextReader does, for lines above kLongestSegment, and when there is no hypothesis.
  explicit SegmentReader(const SegmentSources& sources);

  /// The names of the systems.
  const std::vector<std::string>& systems() const { return systems_; }
  /// The number of references that a segment has.
  std::size_t references() const { return references_.size() * columns_; }

  /// Reads a segment; false at the end. Throws Error where texts differ in their numbers of lines or columns.
  bool next(Segment& segment);
  /// See ByteSource.
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
  std::deque<Lines> references_, hypotheses_;
  std::vector<std::string> systems_, first_;  // names, and the hypotheses of the first segment
  bool is_first_ = true;
};

}  // namespace nmt
