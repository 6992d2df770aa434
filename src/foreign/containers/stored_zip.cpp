#include "foreign/containers/stored_zip.h"

#include <zlib.h>

#include "foreign/containers/byte_writer.h"

namespace nmt {
namespace {

using namespace std::string_view_literals;

constexpr std::uint16_t kZipVersion = 20;  // 2.0, for both the writer and the reader

std::uint32_t crc_of(std::string_view head, const std::vector<std::byte>& data) {
  uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
  // The address of an empty vector may be null, which would restart the checksum.
  if (!data.empty()) crc = crc32_z(crc, reinterpret_cast<const Bytef*>(data.data()), data.size());
  return static_cast<std::uint32_t>(crc);
}

}  // namespace

void StoredZip::add(const std::string& name, std::string_view head, const std::vector<std::byte>& data) {
  constexpr std::uint16_t kNone = 0;  // flags, method (stored), time, date, extra field, comment, disk
  const auto size = static_cast<std::uint32_t>(head.size() + data.size());
  // The common part of the entry's own header and of the directory.
  std::string common;
  append_numbers(common, kZipVersion, kNone, kNone, kNone, kNone, crc_of(head, data), size, size,
                 static_cast<std::uint16_t>(name.size()), kNone);

  directory_ += "PK\x01\x02"sv;
  append_numbers(directory_, kZipVersion);
  directory_ += common;
  append_numbers(directory_, kNone, kNone, kNone, std::uint32_t{0}, static_cast<std::uint32_t>(written_));
  directory_ += name;

  const std::string local = "PK\x03\x04" + common + name;
  file_.write(local);
  file_.write(head);
  file_.write(data.data(), data.size());
  written_ += local.size() + size;
  ++entries_;
}

void StoredZip::commit() {
  std::string end = "PK\x05\x06";
  append_numbers(end, std::uint32_t{0}, entries_, entries_, static_cast<std::uint32_t>(directory_.size()),
                 static_cast<std::uint32_t>(written_), std::uint16_t{0});
  file_.write(directory_);
  file_.write(end);
  file_.commit();
}

}  // namespace nmt
