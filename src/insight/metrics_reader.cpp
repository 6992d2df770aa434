#include "insight/metrics_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/log/progress_line.h"
#include "common/system_message.h"

namespace nmt {
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
