#include "common/io/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>

#include "common/io/byte_source.h"
#include "common/io/storage_error.h"

namespace nmt {
namespace {

constexpr std::size_t kPieceSize = std::size_t{1} << 20;
constexpr std::size_t kMostUnpacked = 64;  // times the size of the compressed file

}  // namespace

Spool::Spool() {
  const char* const folder = std::getenv("TMPDIR");
  name_ = fmt::format("{}/nmt-XXXXXX", folder != nullptr && *folder != '\0' ? folder : "/tmp");
  file_ = FileDescriptor(::mkstemp(name_.data()));
  if (!file_) {
    throw StorageError("cannot create a temporary file '{}': {}", name_,
                       system_message(errno, "set TMPDIR to a directory with room"));
  }
  unlink(name_.c_str());
}

void Spool::append(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  buffer_.insert(buffer_.end(), bytes, bytes + size);
  if (buffer_.size() >= kPieceSize) flush();
}

void Spool::flush() {
  if (!try_write(file_.get(), {buffer_.data(), buffer_.size()}))
    throw StorageError("cannot write '{}': {}", name_, system_message(errno));
  buffer_.clear();
}

MemoryMap Spool::map() {
  flush();
  return {file_, name_};
}

void Spool::for_each_piece(const std::function<void(std::string_view)>& take) {
  flush();
  std::vector<char> piece(kPieceSize);
  off_t position = 0;
  while (true) {
    const ssize_t got = ::pread(file_.get(), piece.data(), piece.size(), position);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error("cannot read '{}': {}", name_, system_message(errno));
    if (got == 0) return;
    take({piece.data(), static_cast<std::size_t>(got)});
    position += got;
  }
}

MemoryMap map_unpacked(const std::string& path) {
  MemoryMap file = map_file(path);
  if (!is_packed(file.text()) && without_packing(path) == path) return file;
  const std::size_t most = file.size() * kMostUnpacked + kPieceSize;
  const std::unique_ptr<ByteSource> source = open_bytes(path);
  Spool spool;
  std::vector<char> piece(kReadAtOnce);
  std::size_t total = 0;
  while (const std::size_t count = source->read(piece.data(), piece.size())) {
    total += count;
    if (total > most) {
      throw Error("'{}' unpacks to more than {} times its size, as no model does; name another file", path,
                  kMostUnpacked);
    }
    spool.append(piece.data(), count);
  }
  return spool.map();
}

void LineStore::Builder::add(std::string_view line) {
  end_ += std::ssize(line);
  longest_ = std::max(longest_, std::ssize(line));
  text_.append(line.data(), line.size());
  index_.append(&end_, sizeof end_);
  checksum_.add(line).add("\n");
  ++lines_;
}

LineStore LineStore::Builder::finish() {
  LineStore store;
  store.name_ = name_;
  store.text_ = text_.map();
  store.index_ = index_.map();
  store.lines_ = lines_;
  store.longest_ = longest_;
  store.checksum_ = checksum_.value();
  return store;
}

void LineStore::forget_pages() const {
  text_.forget_pages();
  index_.forget_pages();
}

std::string_view LineStore::operator[](std::int64_t i) const {
  const auto end_of = [&](std::int64_t line) {
    std::int64_t end = 0;
    if (line >= 0)
      std::memcpy(&end, index_.data() + line * static_cast<std::int64_t>(sizeof end), sizeof end);
    return static_cast<std::size_t>(end);
  };
  const std::size_t begin = end_of(i - 1);
  return text_.text().substr(begin, end_of(i) - begin);
}

}  // namespace nmt
