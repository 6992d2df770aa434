#include "train/sample_lines.h"

#include <algorithm>

#include "common/text/utf8.h"

namespace nmt {

std::vector<std::int64_t> sample_lines(std::int64_t count) {
  constexpr std::int64_t kMost = 5;
  const std::int64_t chosen = std::min(count, kMost);
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < chosen; ++i) numbers.push_back((2 * i + 1) * count / (2 * chosen));
  return numbers;
}

std::string cut_short(std::string line, std::size_t longest) {
  if (line.size() <= longest) return line;
  line.resize(longest);
  while (!line.empty() && count_invalid_utf8(line) > 0) line.pop_back();
  return line + "…";
}

}  // namespace nmt
