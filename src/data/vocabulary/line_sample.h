// A sample of lines that fits into memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Draws lines at random from a text of any size, each with the same chance, in memory for those that are
/// kept: every line gets a random number that follows from the seed and its place, and the lines with the
/// smallest numbers stay.
class LineSample {
 public:
  /// At most so many lines, and so many bytes with a line end each.
  LineSample(std::int64_t most_lines, std::int64_t most_bytes, std::uint64_t seed)
      : most_lines_(most_lines), most_bytes_(most_bytes), seed_(seed) {}

  void add(std::string_view line);

  /// Whether lines were left out.
  bool partial() const { return std::ssize(lines_) < added_; }
  /// Bytes of the lines that are kept, with a line end each.
  std::int64_t bytes() const { return bytes_; }
  /// Takes the lines that are kept, in the order of the text.
  std::vector<std::string> take();

 private:
  struct Line {
    std::uint64_t key;
    std::int64_t number;
    std::string text;

    bool operator<(const Line& other) const {
      return key != other.key ? key < other.key : number < other.number;
    }
  };

  std::uint64_t key(std::int64_t number) const;

  std::int64_t most_lines_, most_bytes_;
  std::uint64_t seed_;
  std::int64_t added_ = 0, bytes_ = 0;
  std::vector<Line> lines_;  // a heap, the greatest key first
};

}  // namespace nmt
