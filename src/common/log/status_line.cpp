#include "common/log/status_line.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nmt {
namespace {

std::string drawn(const StatusBar& bar, std::size_t columns) {
  constexpr std::size_t kPartOfLine = 5, kLeast = 8, kMost = 30;
  const std::size_t room = std::clamp(columns / kPartOfLine, kLeast, kMost) - 2;
  const auto column = [room](double part) {
    return static_cast<std::size_t>(std::llround(std::clamp(part, 0.0, 1.0) * static_cast<double>(room)));
  };
  const std::size_t begin = column(bar.begin), end = std::max(column(bar.end), begin);
  std::string text(room, ' ');
  text.replace(begin, end - begin, end - begin, '=');
  if (end > begin && end < room) text[end - 1] = '>';
  return "[" + text + "]";
}

}  // namespace

std::string fit(std::vector<StatusPart> parts, std::size_t columns) {
  constexpr std::size_t kGap = 2;
  for (StatusPart& part : parts) {
    if (part.bar) part.text = drawn(*part.bar, columns);
  }
  std::vector<std::size_t> by_rank(parts.size());
  std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
  std::ranges::stable_sort(by_rank, {}, [&](std::size_t part) { return parts[part].rank; });
  std::vector<bool> fits(parts.size());
  std::size_t width = 0;
  for (const std::size_t part : by_rank) {
    const std::size_t wider = width + (width > 0 ? kGap : 0) + parts[part].text.size();
    if (wider > columns) continue;
    fits[part] = true;
    width = wider;
  }
  if (width == 0) return parts.empty() ? "" : parts[by_rank.front()].text.substr(0, columns);
  std::string line;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (fits[part]) line += std::string(line.empty() ? 0 : kGap, ' ') + parts[part].text;
  }
  return line;
}

}  // namespace nmt
