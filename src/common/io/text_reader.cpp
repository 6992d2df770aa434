#include "common/io/text_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/text/number.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// Bytes kept beyond a limit. There are enough that a line is still too long after white space and marks are
// removed at its ends.
constexpr std::size_t kAbove = 16;

}  // namespace

TextReader::TextReader(const std::string& path, CarriageReturn carriage_return,
                       std::optional<std::size_t> most, const JobContext& job)
    : name_(display_name(path)),
      log_(job.log),
      carriage_return_(carriage_return),
      most_(most),
      source_(open_bytes(path, *job.stop)),
      buffer_(kReadAtOnce) {}

bool TextReader::fetch(bool may_wait) {
  while (!is_complete_ && !finished_) {
    if (position_ == end_) {
      if (!may_wait && !source_->is_ready()) return false;
      position_ = 0;
      buffer_begin_ = source_->part_read().value_or(0);
      end_ = source_->read(buffer_.data(), buffer_.size());
      finished_ = end_ == 0;
      continue;
    }
    has_begun_ = true;
    const char* begin = buffer_.data() + position_;
    const void* feed = std::memchr(begin, '\n', end_ - position_);
    const std::size_t length = feed != nullptr ? static_cast<const char*>(feed) - begin : end_ - position_;
    append(begin, length);
    position_ += length;
    if (feed != nullptr) {
      ++position_;
      is_complete_ = true;
    }
  }
  return true;
}

bool TextReader::read_raw_line(std::string& line) {
  fetch(true);
  line.swap(line_);
  line_.clear();
  is_complete_ = false;
  is_beginning_ = most_ && line.size() > *most_;
  if (most_) line.resize(beginning_of(line, *most_ + kAbove).size());
  return std::exchange(has_begun_, false);
}

void TextReader::append(const char* bytes, std::size_t size) {
  if (most_) {
    line_.append(bytes, std::min(size, *most_ + kAbove + 1 - line_.size()));
    return;
  }
  if (line_.size() + size > kLongestLine) {
    throw Error("'{}', line {}: longer than {} MiB; this is not text with one sentence per line", name_,
                line_number_ + 1, kLongestLine >> 20);
  }
  line_.append(bytes, size);
}

/// Tests UTF-32 first, as its little-endian mark begins with that of UTF-16. Without a mark, UTF-16 is
/// recognized by two characters below U+0100.
void TextReader::check_encoding(std::string_view line) {
  using namespace std::string_view_literals;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMarks{
      {{"\xFF\xFE\0\0"sv, "UTF-32"},
       {"\0\0\xFE\xFF"sv, "UTF-32"},
       {"\xFF\xFE"sv, "UTF-16"},
       {"\xFE\xFF"sv, "UTF-16"}}};
  constexpr std::size_t kHead = 4;
  if (head_.size() >= kHead) return;
  head_.append(line.substr(0, kHead)) += '\n';
  const auto refuse = [this](std::string_view encoding) {
    throw Error("'{}' is {}, not UTF-8; convert it with 'iconv -f {} -t UTF-8' first", name_, encoding,
                encoding);
  };
  for (const auto& [mark, encoding] : kMarks) {
    if (head_.starts_with(mark)) refuse(encoding);
  }
  if (head_.size() < kHead) return;
  const auto zeros = [this](std::size_t at) { return head_[at] == '\0' && head_[at + 2] == '\0'; };
  const auto others = [this](std::size_t at) { return head_[at] != '\0' && head_[at + 2] != '\0'; };
  if (others(0) && zeros(1)) refuse("UTF-16LE");
  if (zeros(0) && others(1)) refuse("UTF-16BE");
}

void TextReader::restrict_to(std::int64_t first, std::int64_t last) {
  for (std::string line; line_number_ + 1 < first && next(line);) continue;
  before_ = first - 1;
  last_ = last;
  invalid_bytes_ = 0;
}

std::optional<double> TextReader::part_read() const {
  if (last_ != std::numeric_limits<std::int64_t>::max()) {
    return last_ <= before_
               ? 1
               : static_cast<double>(line_number_ - before_) / static_cast<double>(last_ - before_);
  }
  const std::optional<double> buffer_end = source_->part_read();
  if (!buffer_end || end_ == 0) return buffer_end;
  return std::lerp(buffer_begin_, *buffer_end, static_cast<double>(position_) / static_cast<double>(end_));
}

void TextReader::warn() {
  if (!std::exchange(warned_, true)) warn_of_invalid_bytes(name_, invalid_bytes_, *log_);
}

bool TextReader::next(std::string& line) {
  if (line_number_ >= last_ || !read_raw_line(line)) {
    warn();
    return false;
  }
  ++line_number_;
  check_encoding(line);
  if (line_number_ == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  if (carriage_return_ == CarriageReturn::drop && line.ends_with('\r')) line.pop_back();
  invalid_bytes_ += repair_utf8(line);
  return true;
}

std::vector<std::string> read_lines(const std::string& path, CarriageReturn carriage_return,
                                    const JobContext& job) {
  TextReader reader(path, carriage_return, std::nullopt, job);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(line);
  return lines;
}

std::int64_t count_lines(const std::string& path, const StopRequest& stop) {
  const std::unique_ptr<ByteSource> source = open_bytes(path, stop);
  std::vector<char> buffer(kReadAtOnce);
  std::int64_t lines = 0;
  char last = '\n';
  while (const std::size_t size = source->read(buffer.data(), buffer.size())) {
    stop.check();
    lines += std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size), '\n');
    last = buffer[size - 1];
  }
  return last == '\n' ? lines : lines + 1;
}

void warn_of_invalid_bytes(const std::string& name, std::int64_t invalid_bytes, Log& log) {
  if (invalid_bytes > 0) log.warning("{}: {} replaced", name, count_of(invalid_bytes, "invalid UTF-8 byte"));
}

}  // namespace nmt
