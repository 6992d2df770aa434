#include "documents/archives/zip_package.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/io/spool.h"
#include "common/text/spelling.h"

namespace nmt {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kLocal = "PK\x03\x04"sv, kCentral = "PK\x01\x02"sv, kEnd = "PK\x05\x06"sv;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22;
constexpr std::uint64_t kMostInZip = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1, kSizesFollow = 8;
// Text in XML shrinks to a tenth, tables with equal cells to a fiftieth.
constexpr std::uint64_t kMostRatio = 200, kAlwaysAllowed = std::uint64_t{16} << 20;

template <class Number>
Number number_at(std::string_view bytes, std::size_t place) {
  Number number = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;)
    number = static_cast<Number>((number << 8U) | static_cast<unsigned char>(bytes[place + i]));
  return number;
}

template <class Number>
void set_number(std::string& bytes, std::size_t place, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) bytes[place + i] = static_cast<char>(number >> (8 * i));
}

std::uint32_t checksum(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// A stream of zlib that inflates raw data.
class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw Error("there is no memory to unpack a document");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

}  // namespace

ZipPackage::ZipPackage(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {
  read_directory();
}

void ZipPackage::read_directory() {
  const auto damaged = [this](std::string_view why) {
    return Error("cannot read '{}': its zip archive is damaged ({}); make the file again", name_, why);
  };
  constexpr std::size_t kLongestComment = 65'535;
  const std::size_t tail = std::min(bytes_.size(), kEndBytes + kLongestComment);
  const std::size_t end = bytes_.size() < kEndBytes ? bytes_.npos : bytes_.rfind(kEnd);
  if (end == bytes_.npos || end < bytes_.size() - tail || end + kEndBytes > bytes_.size())
    throw damaged("it has no directory");
  const auto count = number_at<std::uint16_t>(bytes_, end + 10);
  const auto size = number_at<std::uint32_t>(bytes_, end + 12);
  const auto begin = number_at<std::uint32_t>(bytes_, end + 16);
  if (begin == kMostInZip) throw damaged("it is of 4 GiB or more");
  if (std::uint64_t{begin} + size > end) throw damaged("its directory is truncated");
  std::string_view directory = bytes_.substr(begin, size);
  std::set<std::string> names;
  for (std::uint16_t i = 0; i < count; ++i) {
    if (directory.size() < kCentralBytes || !directory.starts_with(kCentral))
      throw damaged("its directory is truncated");
    const std::size_t name_size = number_at<std::uint16_t>(directory, 28);
    const std::size_t length = kCentralBytes + name_size + number_at<std::uint16_t>(directory, 30) +
                               number_at<std::uint16_t>(directory, 32);
    if (directory.size() < length) throw damaged("its directory is truncated");
    ZipEntry entry{.name = std::string(directory.substr(kCentralBytes, name_size)),
                   .flags = number_at<std::uint16_t>(directory, 8),
                   .method = number_at<std::uint16_t>(directory, 10),
                   .crc = number_at<std::uint32_t>(directory, 16),
                   .packed_size = number_at<std::uint32_t>(directory, 20),
                   .size = number_at<std::uint32_t>(directory, 24),
                   .header = directory.substr(0, length)};
    const std::uint64_t place = number_at<std::uint32_t>(directory, 42);
    directory.remove_prefix(length);
    if (place + kLocalBytes > bytes_.size() || !bytes_.substr(place).starts_with(kLocal))
      throw damaged("its entry " + quoted(entry.name) + " is missing");
    const std::uint64_t data = place + kLocalBytes + number_at<std::uint16_t>(bytes_, place + 26) +
                               number_at<std::uint16_t>(bytes_, place + 28);
    if (data + entry.packed_size > begin) throw damaged("its entry " + quoted(entry.name) + " is truncated");
    entry.data = bytes_.substr(data, entry.packed_size);
    if (!names.insert(entry.name).second) throw damaged("it has two entries " + quoted(entry.name));
    if ((entry.flags & kEncrypted) != 0)
      throw Error("cannot read '{}': it is encrypted; save it without a password", name_);
    entries_.push_back(std::move(entry));
  }
}

const ZipEntry* ZipPackage::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &ZipEntry::name);
  return found == entries_.end() ? nullptr : &*found;
}

void ZipPackage::unpack(const ZipEntry& entry, const std::function<void(std::string_view)>& take) const {
  const auto fail = [&](std::string_view why) {
    return Error("cannot read '{}': its entry {} {}; make the file again", name_, quoted(entry.name), why);
  };
  if (entry.size > kMostRatio * entry.packed_size + kAlwaysAllowed) throw fail("unpacks to far too much");
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  const auto pass_on = [&](std::string_view part) {
    size += part.size();
    if (size > entry.size) throw fail("is larger than its directory says");
    crc = checksum(crc, part);
    take(part);
  };
  if (entry.method == kStored) {
    pass_on(entry.data);
  } else if (entry.method == kDeflated) {
    Inflater inflater;
    z_stream& stream = inflater.stream();
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(entry.data.data()));
    stream.avail_in = static_cast<uInt>(entry.data.size());
    std::array<char, std::size_t{64} << 10> buffer;
    for (int status = Z_OK; status != Z_STREAM_END;) {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = buffer.size();
      status = inflate(&stream, Z_NO_FLUSH);
      if (status != Z_OK && status != Z_STREAM_END) throw fail("cannot be unpacked to its end");
      pass_on({buffer.data(), buffer.size() - stream.avail_out});
    }
  } else {
    throw fail(fmt::format("is packed by method {}, which documents do not use", entry.method));
  }
  if (size != entry.size || crc != entry.crc) throw fail("does not match its checksum");
}

MemoryMap ZipPackage::unpacked(const ZipEntry& entry) const {
  Spool spool;
  unpack(entry, [&spool](std::string_view part) { spool.append(part.data(), part.size()); });
  return spool.map();
}

std::string ZipPackage::text_of(const ZipEntry& entry, std::size_t most) const {
  if (entry.size > most)
    throw Error("cannot read '{}': its entry {} has more than {} MiB", name_, quoted(entry.name), most >> 20);
  std::string text;
  unpack(entry, [&text](std::string_view part) { text += part; });
  return text;
}

struct ZipWriter::Deflater {
  Deflater() {
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL - 1,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error("there is no memory to pack a document");
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void pack(std::string_view contents, int flush, std::string& to) {
    std::array<char, std::size_t{32} << 10> buffer;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(contents.data()));
    stream.avail_in = static_cast<uInt>(contents.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream.avail_out = buffer.size();
      deflate(&stream, flush);
      to.append(buffer.data(), buffer.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }

  z_stream stream{};
};

ZipWriter::ZipWriter(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

ZipWriter::~ZipWriter() = default;

void ZipWriter::put(std::string_view bytes) {
  write_(bytes);
  written_ += bytes.size();
}

void ZipWriter::copy(const ZipEntry& entry) {
  put_headers(entry);
  put(entry.data);
}

void ZipWriter::begin(const ZipEntry& like) {
  entry_ = like;
  entry_.method = kDeflated;
  entry_.crc = 0;
  entry_.size = entry_.packed_size = 0;
  packed_.emplace();
  deflater_ = std::make_unique<Deflater>();
}

void ZipWriter::write(std::string_view contents) {
  entry_.crc = checksum(entry_.crc, contents);
  entry_.size += contents.size();
  constexpr std::size_t kPackedAtOnce = std::size_t{1} << 20;
  for (; !contents.empty(); contents.remove_prefix(std::min(kPackedAtOnce, contents.size())))
    pack(contents.substr(0, kPackedAtOnce), Z_NO_FLUSH);
}

void ZipWriter::pack(std::string_view contents, int flush) {
  std::string packed;
  deflater_->pack(contents, flush, packed);
  packed_->append(packed.data(), packed.size());
  entry_.packed_size += packed.size();
}

void ZipWriter::end() {
  pack("", Z_FINISH);
  deflater_.reset();
  put_headers(entry_);
  packed_->for_each_piece([this](std::string_view piece) { put(piece); });
  packed_.reset();
}

void ZipWriter::put_headers(ZipEntry entry) {
  if (written_ > kMostInZip || entry.packed_size > kMostInZip || entry.size > kMostInZip)
    throw Error("the translated document is of 4 GiB or more; divide it");
  // The sizes are in the header, not after the data.
  entry.flags = static_cast<std::uint16_t>(entry.flags & ~kSizesFollow);
  std::string header(entry.header);
  set_number(header, 8, entry.flags);
  set_number(header, 10, entry.method);
  set_number(header, 16, entry.crc);
  set_number(header, 20, static_cast<std::uint32_t>(entry.packed_size));
  set_number(header, 24, static_cast<std::uint32_t>(entry.size));
  set_number(header, 42, static_cast<std::uint32_t>(written_));
  directory_ += header;
  ++entries_;
  // What both headers have, up to the size of the name, and no extra field.
  std::string local(kLocal);
  local += std::string_view(header).substr(6, 24);
  local += "\0\0"sv;
  local.resize(kLocalBytes);
  put(local);
  put(entry.name);
}

void ZipWriter::finish() {
  const std::uint64_t begin = written_;
  put(directory_);
  std::string end(kEnd);
  end.resize(kEndBytes, '\0');
  set_number(end, 8, static_cast<std::uint16_t>(entries_));
  set_number(end, 10, static_cast<std::uint16_t>(entries_));
  set_number(end, 12, static_cast<std::uint32_t>(directory_.size()));
  set_number(end, 16, static_cast<std::uint32_t>(begin));
  put(end);
}

}  // namespace nmt
