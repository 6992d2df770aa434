#include "common/io/spool.h"

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "common/error.h"
#include "common/io/byte_source.h"
#include "common/system_message.h"

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
    throw Error("cannot create a temporary file '{}': {}", name_,
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
  write_all(file_, buffer_.data(), buffer_.size(), name_);
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

}  // namespace nmt
