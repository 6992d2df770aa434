// A random sample of lines that fits into memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Samples lines uniformly from a text of any size. Each line gets a random number that follows from the seed
/// and its place, and the lines with the smallest numbers are kept. Only kept lines take memory.
class LineSample {
 public:
  /// `most_lines`, `most_bytes`: limits of the sample, where each line counts with its line end.
  LineSample(std::int64_t most_lines, std::int64_t most_bytes, std::uint64_t seed)
      : most_lines_(most_lines), most_bytes_(most_bytes), seed_(seed) {}

  void add(std::string_view line);

  /// Whether lines were left out.
  bool partial() const { return std::ssize(lines_) < added_; }
  /// Returns the bytes of the kept lines, with a line end each.
  std::int64_t bytes() const { return bytes_; }
  /// Moves out the kept lines, in the order of the text.
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
  std::vector<Line> lines_;  // a heap, with the greatest key first
};

}  // namespace nmt
