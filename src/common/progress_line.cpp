#include "common/progress_line.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/interval.h"
#include "common/log.h"
#include "common/plural.h"

namespace nmt {
namespace {

constexpr ProgressLine::Seconds kStatusInterval{0.2};

}  // namespace

std::vector<StatusPart> progress_parts(std::optional<double> part, double seconds) {
  if (!part || *part <= 0) return {};
  const double done = std::min(*part, 1.0);
  return {{fmt::format("{:.0f} %", std::floor(100 * done)), 0},
          {fmt::format("{} left", format_seconds(seconds / done - seconds)), 1}};
}

ChunkProgress::ChunkProgress(std::int64_t before, std::size_t items, std::optional<double> begin,
                             std::optional<double> end, ProgressReport report)
    : before_(before), items_(items), begin_(begin), end_(end), report_(std::move(report)) {}

void ChunkProgress::add(std::size_t items) {
  const std::size_t done = done_ += items;
  if (!report_) return;
  std::optional<double> part;
  if (begin_ && end_) {
    part = *begin_ + (*end_ - *begin_) * static_cast<double>(done) / static_cast<double>(items_);
  }
  report_(before_ + static_cast<std::int64_t>(done), part);
}

ProgressLine::ProgressLine(std::string work, std::string noun, Seconds every)
    : work_(std::move(work)),
      noun_(std::move(noun)),
      every_(every),
      log_due_(begin_ + std::chrono::duration_cast<Clock::duration>(every)) {}

bool ProgressLine::is_due(Clock::time_point& due, Seconds interval) const {
  const Clock::time_point now = Clock::now();
  if (now < due) return false;
  due = now + std::chrono::duration_cast<Clock::duration>(interval);
  return true;
}

void ProgressLine::show(std::int64_t count, std::optional<double> part) {
  const std::lock_guard lock(mutex_);
  const bool on_terminal = StatusLine::visible();
  if (!(on_terminal ? is_due(status_due_, kStatusInterval) : is_due(log_due_, every_))) return;
  const double rate = static_cast<double>(count) / std::max(seconds(), 1e-9);
  std::vector<StatusPart> parts = {{work_, 3}};
  for (StatusPart& piece : progress_parts(part, seconds())) parts.push_back(std::move(piece));
  parts.push_back({count_of(count, noun_), 2});
  parts.push_back({fmt::format("{:.{}f} {}s/s", rate, rate < 10 ? 1 : 0, noun_), 4});
  if (on_terminal) {
    status_.show(std::move(parts));
  } else {
    log_info("{}", fit(parts, std::string::npos));
  }
}

}  // namespace nmt
