// Zip archives that are copied entry by entry, some with new contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/memory_map.h"
#include "common/io/spool.h"

namespace nmt {

/// An entry of an archive.
struct ZipEntry {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0, size = 0;
  std::string_view header;  // in the directory
  std::string_view data;    // as it is packed
};

/// The archives of documents: less than 4 GiB, entries that are stored or deflated and not encrypted.
class ZipPackage {
 public:
  /// Reads the directory. `name`: of the document, for messages. The bytes must outlive the object. Throws
  /// Error if they are no such archive or damaged.
  ZipPackage(std::string_view bytes, std::string name);

  /// Returns the entries in the order of the archive.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Returns the entry of this name; null if there is none.
  const ZipEntry* find(std::string_view name) const;
  /// Unpacks an entry to disk. Throws Error if it is damaged, and if it is far larger than documents are.
  MemoryMap unpacked(const ZipEntry& entry) const;
  /// Unpacks an entry of at most `most` bytes; throws Error if it has more.
  std::string text_of(const ZipEntry& entry, std::size_t most = std::size_t{16} << 20) const;

 private:
  void unpack(const ZipEntry& entry, const std::function<void(std::string_view)>& take) const;
  void read_directory();

  std::string_view bytes_;
  std::string name_;
  std::vector<ZipEntry> entries_;
};

/// Writes an archive.
class ZipWriter {
 public:
  /// `write` takes the bytes of the archive.
  explicit ZipWriter(std::function<void(std::string_view)> write);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  /// Writes an entry as it is in its archive.
  void copy(const ZipEntry& entry);
  /// Begins an entry with the name and attributes of another one, for write().
  void begin(const ZipEntry& like);
  /// Adds bytes to the contents of the entry.
  void write(std::string_view contents);
  /// Ends the entry. Throws Error if the archive has reached 4 GiB.
  void end();
  /// Writes the directory. Call it once, last.
  void finish();

 private:
  struct Deflater;

  void put(std::string_view bytes);
  void pack(std::string_view contents, int flush);
  /// Writes the header of an entry, and adds the one in the directory.
  void put_headers(ZipEntry entry);

  std::function<void(std::string_view)> write_;
  std::unique_ptr<Deflater> deflater_;
  ZipEntry entry_;               // that is written
  std::optional<Spool> packed_;  // its data
  std::uint64_t written_ = 0;
  std::uint32_t entries_ = 0;
  std::string directory_;
};

}  // namespace nmt
