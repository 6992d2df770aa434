#include "common/status_line.h"

#include <algorithm>
#include <numeric>

namespace nmt {

std::string fit(const std::vector<StatusPart>& parts, std::size_t columns) {
  constexpr std::size_t kGap = 2;
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
