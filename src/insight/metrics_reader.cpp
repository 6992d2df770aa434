#include "insight/metrics_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/log/progress_line.h"

namespace nmt {

ThinnedSeries::Stretch ThinnedSeries::joined(const Stretch& a, const Stretch& b) {
  return {.lowest = b.lowest.point.value < a.lowest.point.value ? b.lowest : a.lowest,
          .highest = b.highest.point.value > a.highest.point.value ? b.highest : a.highest,
          .count = a.count + b.count};
}

void ThinnedSeries::halve() {
  std::vector<Stretch> longer;
  for (std::size_t i = 0; i + 1 < stretches_.size(); i += 2) {
    longer.push_back(joined(stretches_[i], stretches_[i + 1]));
  }
  stretches_ = std::move(longer);
  length_ *= 2;
}

void ThinnedSeries::add(const MetricPoint& point) {
  last_ = {.point = point, .index = count_++};
  if (last_.index == 0) first_ = last_;
  const Stretch alone{.lowest = last_, .highest = last_, .count = 1};
  if (!stretches_.empty() && stretches_.back().count < length_) {
    stretches_.back() = joined(stretches_.back(), alone);
    return;
  }
  if (stretches_.size() == most_stretches_) halve();
  stretches_.push_back(alone);
}

std::vector<MetricPoint> ThinnedSeries::points() const {
  std::vector<Entry> kept;
  for (const Stretch& stretch : stretches_) {
    kept.push_back(stretch.lowest);
    kept.push_back(stretch.highest);
  }
  if (count_ > 0) kept.insert(kept.end(), {first_, last_});
  std::ranges::sort(kept, {}, &Entry::index);
  const auto is_same = [](const Entry& a, const Entry& b) { return a.index == b.index; };
  kept.erase(std::unique(kept.begin(), kept.end(), is_same), kept.end());
  std::vector<MetricPoint> points;
  points.reserve(kept.size());
  for (const Entry& entry : kept) points.push_back(entry.point);
  return points;
}

namespace {

constexpr std::size_t kPiece = 1 << 16;
constexpr std::size_t kLongestMetricsLine = 1 << 20;

/// Reads up to `size` bytes of a file; fewer at its end.
std::string read_at(int file, std::int64_t position, std::size_t size, const StopRequest& stop) {
  std::string bytes(size, '\0');
  std::size_t count = 0;
  while (count < size) {
    const ssize_t got =
        ::pread(file, bytes.data() + count, size - count, position + static_cast<std::int64_t>(count));
    if (got < 0 && errno == EINTR) {
      stop.check();
    } else if (got <= 0) {
      break;
    } else {
      count += static_cast<std::size_t>(got);
    }
  }
  bytes.resize(count);
  return bytes;
}

/// Returns the size in bytes, at least 1.
double size_of(int file) {
  struct stat facts {};
  return ::fstat(file, &facts) == 0 && facts.st_size > 0 ? static_cast<double>(facts.st_size) : 1;
}

}  // namespace

bool MetricsReader::is_continued(int file) const {
  const auto size = static_cast<std::int64_t>(last_line_.size());
  return read_at(file, position_ - size, last_line_.size(), *job_.stop) == last_line_;
}

void MetricsReader::take_line(std::string_view line, const std::function<void(const Line&)>& take) {
  const Line json = Line::parse(line, nullptr, false);
  if (json.is_object()) {
    take(json);
  } else {
    ++damaged_;
  }
}

std::int64_t MetricsReader::take_lines(std::string& text, const std::function<void(const Line&)>& take) {
  std::int64_t count = 0;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    last_line_.assign(text, begin, end + 1 - begin);
    take_line(std::string_view(text).substr(begin, end - begin), take);
    ++count;
  }
  position_ += static_cast<std::int64_t>(begin);
  text.erase(0, begin);
  return count;
}

void MetricsReader::poll(const std::function<void()>& restart, const std::function<void(const Line&)>& take) {
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file) throw Error("cannot read '{}': {}", path_, system_message(errno));
  if (!is_continued(file.get())) {
    begin_anew();
    restart();
  }
  ProgressLine progress(*job_.log, "reading '" + path_ + "'", "line");
  std::int64_t lines = 0;
  std::string rest;
  for (;;) {
    job_.stop->check();
    const std::string piece = read_at(file.get(), position_ + std::ssize(rest), kPiece, *job_.stop);
    rest += piece;
    lines += take_lines(rest, take);
    if (piece.size() < kPiece) return;
    progress.show(lines, static_cast<double>(position_) / size_of(file.get()));
    if (rest.size() > kLongestMetricsLine) {
      throw Error("'{}' has a line of more than {} bytes; it holds no metrics of nmt train", path_,
                  kLongestMetricsLine);
    }
  }
}

}  // namespace nmt
