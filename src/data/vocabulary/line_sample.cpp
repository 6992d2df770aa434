#include "data/vocabulary/line_sample.h"

#include <algorithm>
#include <utility>

#include "common/philox.h"

namespace nmt {

std::uint64_t LineSample::key(std::int64_t number) const {
  const auto place = static_cast<std::uint64_t>(number);
  const auto words =
      philox4x32({static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32), 0, 0x6C696E65U},
                 {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
  return std::uint64_t{words[0]} << 32 | words[1];
}

void LineSample::add(std::string_view line) {
  const std::int64_t number = added_++;
  lines_.push_back({key(number), number, std::string(line)});
  bytes_ += std::ssize(line) + 1;
  std::push_heap(lines_.begin(), lines_.end());
  while (std::ssize(lines_) > most_lines_ || (bytes_ > most_bytes_ && lines_.size() > 1)) {
    std::pop_heap(lines_.begin(), lines_.end());
    bytes_ -= std::ssize(lines_.back().text) + 1;
    lines_.pop_back();
  }
}

std::vector<std::string> LineSample::take() {
  std::sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.number < b.number; });
  std::vector<std::string> taken;
  taken.reserve(lines_.size());
  for (Line& line : lines_) taken.push_back(std::move(line.text));
  lines_.clear();
  return taken;
}

}  // namespace nmt
