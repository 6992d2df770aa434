#include "common/io/byte_source.h"

#include <fcntl.h>
#include <lzma.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>

#include "common/error.h"
#include "common/file_descriptor.h"
#include "common/io/memory_map.h"

namespace nmt {
namespace {

FileDescriptor open_for_reading(const std::string& path) {
  if (path == "-") return FileDescriptor(::dup(STDIN_FILENO));
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw Error("cannot read '{}': {}", path, system_message(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw Error("cannot read '{}': it is a directory; name a file", path);
  }
  return file;
}

/// Formats that this program does not read, with the first bytes of their files.
struct ForeignFormat {
  std::string_view mark, name, program;
};

constexpr std::array<ForeignFormat, 6> kForeignFormats{{{"BZh91AY&SY", "bzip2", "bzip2 -dc"},
                                                        {"PK\x03\x04", "zip", "unzip -p"},
                                                        {"\x04\x22\x4D\x18", "lz4", "lz4 -dc"},
                                                        {"7z\xBC\xAF\x27\x1C", "7z", "7z x -so"},
                                                        {"LZIP\x01", "lzip", "lzip -dc"},
                                                        {"\x1F\x9D", "compress", "uncompress -c"}}};

/// The bytes as stored.
class PlainSource : public ByteSource {
 public:
  PlainSource(const std::string& path, const StopRequest& stop)
      : stop_(stop), name_(display_name(path)), file_(open_for_reading(path)) {
    struct stat status {};
    is_awaited_ = ::fstat(file_.get(), &status) == 0 && !S_ISREG(status.st_mode);
    if (!is_awaited_) size_ = status.st_size;
    position_ = std::max<off_t>(::lseek(file_.get(), 0, SEEK_CUR), 0);
  }

  std::size_t read(char* data, std::size_t size) override {
    if (head_.empty()) return read_file(data, size);
    const std::size_t count = head_.copy(data, size);
    head_.erase(0, count);
    return count;
  }

  bool is_ready() override {
    pollfd file{.fd = file_.get(), .events = POLLIN, .revents = 0};
    return !is_awaited_ || !head_.empty() || ::poll(&file, 1, 0) != 0;
  }

  std::optional<double> part_read() const override { return part_before(0); }

  /// Returns part_read() minus `unused` bytes, which were read but not used yet.
  std::optional<double> part_before(std::size_t unused) const {
    if (size_ == 0) return std::nullopt;
    const off_t used = position_ - static_cast<off_t>(head_.size() + unused);
    return std::min(static_cast<double>(used) / static_cast<double>(size_), 1.0);
  }

  /// Whether reading may have to wait for a writer.
  bool is_awaited() const { return is_awaited_; }

  /// Whether the file begins with these bytes, which stay unread. Waits only for as many bytes as needed, as
  /// somebody may be typing.
  bool begins_with(std::string_view mark) {
    while (head_.size() < mark.size() && mark.starts_with(head_)) {
      std::array<char, kReadAtOnce> more;
      const std::size_t count = read_file(more.data(), more.size());
      if (count == 0) return false;
      head_.append(more.data(), count);
    }
    return head_.starts_with(mark);
  }

  const std::string& name() const { return name_; }
  /// Returns the size in bytes of a file; 0 for a stream.
  std::uint64_t size() const { return static_cast<std::uint64_t>(size_); }

 private:
  std::size_t read_file(char* data, std::size_t size) {
    while (true) {
      const ssize_t got = ::read(file_.get(), data, size);
      if (got >= 0) {
        position_ += got;
        return static_cast<std::size_t>(got);
      }
      stop_.check();
      if (errno != EINTR) throw Error("cannot read '{}': {}", name_, system_message(errno));
    }
  }

  const StopRequest& stop_;
  std::string name_;
  FileDescriptor file_;
  std::string head_;  // bytes examined but not read yet
  off_t size_ = 0, position_ = 0;
  bool is_awaited_ = false;
};

/// The common part of compressed formats: compressed bytes come through a buffer, decompressed ones go
/// straight to the caller.
class PackedSource : public ByteSource {
 public:
  explicit PackedSource(std::unique_ptr<PlainSource> packed) : packed_(std::move(packed)) {}

  std::size_t read(char* data, std::size_t size) override {
    std::size_t made = 0;
    while (made == 0 && size > 0 && !finished_) {
      if (available_ == 0 && !exhausted_) refill();
      made = unpack(data, size);
    }
    return made;
  }

  bool is_ready() override { return available_ > 0 || exhausted_ || packed_->is_ready(); }

  std::optional<double> part_read() const override { return packed_->part_before(available_); }

 protected:
  /// Decompresses from next() into `data`, calls consume(), and returns the number of bytes made.
  virtual std::size_t unpack(char* data, std::size_t size) = 0;

  const std::uint8_t* next() const { return buffer_.data() + position_; }
  std::size_t available() const { return available_; }
  bool exhausted() const { return exhausted_; }
  void consume(std::size_t bytes) {
    position_ += bytes;
    available_ -= bytes;
  }
  void finish() { finished_ = true; }

  /// Returns the memory limit of decompression: enough for all levels of xz and zstd. More, as `zstd
  /// --long=31` needs, is only for large files, as a few bytes can ask for gigabytes.
  std::uint64_t most_memory() const {
    constexpr std::uint64_t kEnough = std::uint64_t{128} << 20, kBytesPerByte = 16;
    return std::max(kEnough, kBytesPerByte * packed_->size());
  }

  [[noreturn]] void fail_greedy() const {
    throw Error("'{}' takes more than {} MiB of memory to unpack; compress it again, zstd without --long",
                packed_->name(), most_memory() >> 20);
  }
  [[noreturn]] void fail_truncated() const {
    throw Error("'{}' is truncated: the compressed data ends too early; copy or make it again",
                packed_->name());
  }
  [[noreturn]] void fail_damaged(const char* format) const {
    throw Error("'{}' is damaged or not in {} format; copy or make it again", packed_->name(), format);
  }

 private:
  void refill() {
    position_ = 0;
    available_ = packed_->read(reinterpret_cast<char*>(buffer_.data()), buffer_.size());
    exhausted_ = available_ == 0;
  }

  std::unique_ptr<PlainSource> packed_;
  std::array<std::uint8_t, kReadAtOnce> buffer_{};
  std::size_t position_ = 0, available_ = 0;
  bool exhausted_ = false, finished_ = false;
};

class GzipSource : public PackedSource {
 public:
  explicit GzipSource(std::unique_ptr<PlainSource> packed) : PackedSource(std::move(packed)) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 private:
  std::size_t unpack(char* data, std::size_t size) override {
    if (exhausted()) {
      if (!between_members_) fail_truncated();
      finish();
      return 0;
    }
    if (between_members_) {
      skip_padding();
      if (available() == 0) return 0;
      inflateReset(&stream_);
    }
    stream_.next_in = const_cast<std::uint8_t*>(next());
    stream_.avail_in = static_cast<uInt>(available());
    stream_.next_out = reinterpret_cast<Bytef*>(data);
    stream_.avail_out = static_cast<uInt>(std::min(size, kReadAtOnce));
    const auto room = stream_.avail_out;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) fail_damaged("gzip");
    between_members_ = status == Z_STREAM_END;
    consume(available() - stream_.avail_in);
    return room - stream_.avail_out;
  }

  /// Skips zeros after a member, which fill a block of a tape or a disk.
  void skip_padding() {
    const std::uint8_t* const end = next() + available();
    consume(static_cast<std::size_t>(std::find_if(next(), end, [](std::uint8_t byte) { return byte != 0; }) -
                                     next()));
  }

  z_stream stream_{};
  bool between_members_ = false;
};

class XzSource : public PackedSource {
 public:
  explicit XzSource(std::unique_ptr<PlainSource> packed) : PackedSource(std::move(packed)) {
    if (lzma_stream_decoder(&stream_, most_memory(), LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzSource() override { lzma_end(&stream_); }

 private:
  std::size_t unpack(char* data, std::size_t size) override {
    stream_.next_in = next();
    stream_.avail_in = available();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(data);
    stream_.avail_out = size;
    const lzma_ret status = lzma_code(&stream_, exhausted() ? LZMA_FINISH : LZMA_RUN);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (status == LZMA_MEMLIMIT_ERROR) fail_greedy();
    if (status == LZMA_BUF_ERROR) fail_truncated();
    if (status != LZMA_OK && status != LZMA_STREAM_END) fail_damaged("xz");
    if (status == LZMA_STREAM_END) finish();
    consume(available() - stream_.avail_in);
    return size - stream_.avail_out;
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdSource : public PackedSource {
 public:
  explicit ZstdSource(std::unique_ptr<PlainSource> packed) : PackedSource(std::move(packed)) {
    if (!stream_) throw std::bad_alloc();
    const int most = std::bit_width(most_memory()) - 1;
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax,
                           std::min(most, ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound));
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  std::size_t unpack(char* data, std::size_t size) override {
    if (exhausted() && between_frames_) {
      finish();
      return 0;
    }
    ZSTD_inBuffer in = {next(), available(), 0};
    ZSTD_outBuffer out = {data, size, 0};
    const std::size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge) fail_greedy();
    if (ZSTD_isError(status)) fail_damaged("zstd");
    if (exhausted() && out.pos == 0) fail_truncated();
    between_frames_ = status == 0;
    consume(in.pos);
    return out.pos;
  }

  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  bool between_frames_ = false;
};

/// A format that this program reads: its first bytes, and its extension.
struct Format {
  std::string_view mark, ending;
  std::unique_ptr<ByteSource> (*unpack)(std::unique_ptr<PlainSource>);
};

template <class Source>
std::unique_ptr<ByteSource> unpack(std::unique_ptr<PlainSource> packed) {
  return std::make_unique<Source>(std::move(packed));
}

constexpr std::array<Format, 4> kFormats{
    {{"\x1F\x8B", ".gz", unpack<GzipSource>},
     {{"\xFD"
       "7zXZ\0",
       6},
      ".xz",
      unpack<XzSource>},
     {"\x28\xB5\x2F\xFD", ".zst", unpack<ZstdSource>},
     {"\x50\x2A\x4D\x18", ".zst", unpack<ZstdSource>}}};  // for pzstd, which begins with a frame to skip

/// Returns a decompressor for a file, chosen by its first bytes and its name.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<PlainSource> file, const std::string& path) {
  for (const Format& format : kFormats) {
    if (file->begins_with(format.mark)) return format.unpack(std::move(file));
  }
  if (file->begins_with(kLfsPointer)) refuse_lfs_pointer(kLfsPointer, file->name());
  for (const Format& format : kFormats) {
    if (path.ends_with(format.ending)) return format.unpack(std::move(file));
  }
  for (const auto& [mark, name, program] : kForeignFormats) {
    if (!file->begins_with(mark)) continue;
    throw Error("'{}' is in {} format, which is not read here; unpack it with '{}' first", file->name(), name,
                program);
  }
  return file;
}

/// A pipe or a terminal. Reads nothing before the first request, as its writer may start late.
class AwaitedSource : public ByteSource {
 public:
  AwaitedSource(std::unique_ptr<PlainSource> file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  std::size_t read(char* data, std::size_t size) override {
    if (!source_) source_ = unpacked(std::move(file_), path_);
    return source_->read(data, size);
  }
  bool is_ready() override { return source_ ? source_->is_ready() : file_->is_ready(); }
  std::optional<double> part_read() const override { return std::nullopt; }

 private:
  std::unique_ptr<PlainSource> file_;
  std::string path_;
  std::unique_ptr<ByteSource> source_;
};

}  // namespace

bool is_packed(std::string_view beginning) {
  return std::ranges::any_of(kFormats,
                             [&](const Format& format) { return beginning.starts_with(format.mark); });
}

std::string without_packing(const std::string& path) {
  for (const Format& format : kFormats) {
    if (path.ends_with(format.ending)) return path.substr(0, path.size() - format.ending.size());
  }
  return path;
}

bool is_standard_input(std::string_view path) {
  return path == "-" || path == "/dev/stdin" || path == "/dev/fd/0" || path == "/proc/self/fd/0";
}

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path, const StopRequest& stop) {
  auto file = std::make_unique<PlainSource>(path, stop);
  if (file->is_awaited()) return std::make_unique<AwaitedSource>(std::move(file), path);
  return unpacked(std::move(file), path);
}

}  // namespace nmt
