#include "common/log/progress_line.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/text/number.h"

namespace nmt {
namespace {

constexpr ProgressLine::Seconds kStatusInterval{0.2};

std::string megabytes(double bytes) {
  return fmt::format("{:.1f} MB", bytes / 1e6);
}

}  // namespace

std::vector<StatusPart> progress_parts(double part, std::string speed, const std::string& rest) {
  const double done = std::clamp(part, 0.0, 1.0);
  return {{"", 2, StatusBar{0, done}},
          {fmt::format("{:.0f} %", std::floor(100 * done)), 0},
          {std::move(speed), 3},
          {rest + " left", 1}};
}

StatusPart moving_bar(double seconds) {
  constexpr double kSecondsThere = 2, kWidth = 0.3;
  const double there_and_back = std::fmod(seconds / kSecondsThere, 2);
  const double begin = (1 - kWidth) * (1 - std::abs(1 - there_and_back));
  return {"", 2, StatusBar{begin, begin + kWidth}};
}

std::string log_text(std::vector<StatusPart> parts) {
  std::erase_if(parts, [](const StatusPart& part) { return part.bar || part.text.empty(); });
  return fit(std::move(parts), std::string::npos);
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

ProgressLine::ProgressLine(Log& log, std::string work, std::string noun, Seconds every)
    : log_(log),
      work_(std::move(work)),
      noun_(std::move(noun)),
      every_(every),
      log_due_(begin_ + std::chrono::duration_cast<Clock::duration>(every)),
      status_(log) {}

bool ProgressLine::is_due() {
  const bool on_terminal = status_.visible();
  Clock::time_point& due = on_terminal ? status_due_ : log_due_;
  const Clock::time_point now = Clock::now();
  if (now < due) return false;
  due = now + std::chrono::duration_cast<Clock::duration>(on_terminal ? kStatusInterval : every_);
  return true;
}

void ProgressLine::say(std::vector<StatusPart> parts) {
  parts.insert(parts.begin(), {work_, 3});
  if (status_.visible()) {
    status_.show(std::move(parts));
  } else {
    log_.info("{}", log_text(std::move(parts)));
  }
}

void ProgressLine::show(std::int64_t count, std::optional<double> part) {
  const std::lock_guard lock(mutex_);
  if (!is_due()) return;
  const double rate = static_cast<double>(count) / std::max(seconds(), 1e-9);
  const bool is_bytes = noun_ == "byte";
  std::string speed =
      is_bytes ? megabytes(rate) + "/s" : fmt::format("{:.{}f} {}s/s", rate, rate < 10 ? 1 : 0, noun_);
  std::vector<StatusPart> parts;
  if (part && *part > 0) {
    const double done = std::min(*part, 1.0);
    parts = progress_parts(done, std::move(speed), format_seconds(seconds() / done - seconds()));
  } else {
    parts = {moving_bar(seconds()), {std::move(speed), 3}};
  }
  parts.push_back({is_bytes ? megabytes(static_cast<double>(count)) : count_of(count, noun_), 4});
  say(std::move(parts));
}

void ProgressLine::wait() {
  const std::lock_guard lock(mutex_);
  if (is_due()) say({moving_bar(seconds()), {format_seconds(seconds()), 1}});
}

}  // namespace nmt
