#include "foreign/containers/zip_archive.h"

#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/io/byte_reader.h"
#include "nn/files/safetensors.h"

namespace nmt {
namespace {

// Weights hardly shrink by compression; those of few bits shrink to a quarter.
constexpr std::uint64_t kMostRatio = 8;
constexpr std::uint64_t kAlwaysAllowed = std::uint64_t{1} << 20;

/// Returns the facts of an entry that are needed to open it.
struct zip_stat checked_entry(zip* archive, std::uint64_t index, const std::string& path) {
  constexpr std::uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_METHOD;
  struct zip_stat entry;
  zip_stat_init(&entry);
  if (zip_stat_index(archive, index, ZIP_FL_ENC_RAW, &entry) != 0 || (entry.valid & kNeeded) != kNeeded) {
    throw damaged(path, fmt::format("its entry {} cannot be read", index + 1));
  }
  if ((entry.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && entry.encryption_method != ZIP_EM_NONE) {
    throw Error("cannot load '{}': its entry {} is encrypted; decrypt it first", path, in_quotes(entry.name));
  }
  if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE) {
    throw Error(
        "cannot load '{}': its entry {} is packed by method {}, and nmt reads what is stored or deflated; "
        "pack it again",
        path, in_quotes(entry.name), entry.comp_method);
  }
  return entry;
}

}  // namespace

void ZipArchive::Discard::operator()(zip* archive) const {
  zip_discard(archive);
}

void ZipArchive::Close::operator()(zip_file* file) const {
  zip_fclose(file);
}

ZipArchive::ZipArchive(MemoryMap map, const std::string& path) : path_(path), map_(std::move(map)) {
  open();
  std::uint64_t total = 0;
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
  for (std::uint64_t i = 0; i < count; ++i) {
    const struct zip_stat entry = checked_entry(archive_.get(), i, path_);
    if (!sizes_.emplace(entry.name, entry.size).second) {
      throw damaged(path_, "it has two entries " + in_quotes(entry.name));
    }
    if (__builtin_add_overflow(total, entry.size, &total) ||
        total > kMostRatio * map_.size() + kAlwaysAllowed) {
      throw Error(
          "cannot load '{}': its entries are more than {} times as large as the file, which no weights are; "
          "name another file",
          path_, kMostRatio);
    }
  }
}

ZipArchive::~ZipArchive() = default;

void ZipArchive::open() {
  if (map_.size() == 0)
    throw damaged(path_, "it is empty");  // libzip treats it as an archive without entries
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(map_.data(), map_.size(), 0, &error);
  if (source != nullptr) archive_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive_) return check_end();
  if (source != nullptr) zip_source_free(source);
  throw damaged(path_, "it cannot be read as a zip archive (" + reason + ")");
}

void ZipArchive::check_end() const {
  constexpr std::size_t kEndRecord = 22;
  int comment = 0;
  zip_get_archive_comment(archive_.get(), &comment, ZIP_FL_ENC_RAW);
  const std::size_t end = kEndRecord + static_cast<std::size_t>(comment);
  if (map_.size() < end || !map_.text().substr(map_.size() - end).starts_with("PK\x05\x06"))
    throw damaged(path_, "it has bytes after the end of its zip archive");
}

void ZipArchive::read(const std::string& name, std::uint64_t begin, std::span<std::byte> to) const {
  const std::lock_guard lock(mutex_);
  const auto size = sizes_.find(name);
  if (size == sizes_.end()) throw damaged(path_, "it has no entry " + in_quotes(name));
  Begun entry = begun_at(name, begin);
  read_all(entry.file, name, to);
  entry.at += to.size();
  std::byte beyond;
  if (entry.at < size->second) {
    last_ = std::move(entry);
  } else if (zip_fread(entry.file.get(), &beyond, 1) != 0) {
    throw damaged(path_, "the checksum of its entry " + in_quotes(name) + " does not match its contents");
  }
  map_.finish_reading();
}

ZipArchive::Begun ZipArchive::begun_at(const std::string& name, std::uint64_t begin) const {
  Begun entry = std::exchange(last_, {});
  if (entry.name != name || entry.at > begin)
    entry = {name, 0, File(zip_fopen(archive_.get(), name.c_str(), ZIP_FL_ENC_RAW))};
  if (!entry.file) throw damaged(path_, "its entry " + in_quotes(name) + " cannot be opened");
  std::array<std::byte, 4096> skipped;
  while (entry.at < begin) {
    const std::span part =
        std::span(skipped).first(std::min<std::uint64_t>(begin - entry.at, skipped.size()));
    read_all(entry.file, name, part);
    entry.at += part.size();
  }
  return entry;
}

void ZipArchive::read_all(const File& file, const std::string& name, std::span<std::byte> to) const {
  constexpr std::size_t kUnpackedAtOnce = std::size_t{1} << 20;
  while (!to.empty()) {
    const std::int64_t count = zip_fread(file.get(), to.data(), std::min(to.size(), kUnpackedAtOnce));
    if (count <= 0) throw damaged(path_, "its entry " + in_quotes(name) + " cannot be unpacked to its end");
    to = to.subspan(static_cast<std::size_t>(count));
    if (static_cast<std::size_t>(count) == kUnpackedAtOnce) map_.forget_pages();
  }
}

namespace {

using namespace std::string_view_literals;

constexpr std::uint16_t kZipVersion = 20;  // 2.0, for both the writer and the reader

std::uint32_t crc_of(std::string_view head, const StoredZip::Data& data) {
  uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(head.data()), head.size());
  data([&](const std::vector<std::byte>& part) {
    // The address of an empty vector may be null, which would restart the checksum.
    if (!part.empty()) crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  });
  return static_cast<std::uint32_t>(crc);
}

}  // namespace

void StoredZip::add(const std::string& name, std::string_view head, std::uint64_t data_size,
                    const Data& data) {
  constexpr std::uint16_t kNone = 0;  // flags, method (stored), time, date, extra field, comment, disk
  const auto size = static_cast<std::uint32_t>(head.size() + data_size);
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
  data([this](const std::vector<std::byte>& part) { file_.write(part.data(), part.size()); });
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
