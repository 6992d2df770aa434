#include "translate/search/row_spans.h"

#include <algorithm>
#include <iterator>

namespace nmt {

std::optional<std::int64_t> RowSpans::take(std::int64_t rows) {
  const auto span =
      std::ranges::find_if(free_, [rows](const auto& free) { return free.second - free.first >= rows; });
  if (span == free_.end()) return std::nullopt;
  const auto [begin, end] = *span;
  free_.erase(span);
  if (begin + rows < end) free_.emplace(begin + rows, end);
  return begin;
}

void RowSpans::give(std::int64_t begin, std::int64_t rows) {
  std::int64_t end = begin + rows;
  auto next = free_.upper_bound(begin);
  if (next != free_.end() && next->first == end) {
    end = next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->second == begin) {
      begin = previous->first;
      free_.erase(previous);
    }
  }
  free_.emplace(begin, end);
}

}  // namespace nmt
