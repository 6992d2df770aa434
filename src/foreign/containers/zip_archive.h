// Zip archives, read by entry name. Entries are stored or deflated; archives and entries may exceed 4 GiB
// (zip64). The pages of a file that have been read do not stay in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/atomic_file.h"
#include "common/io/memory_map.h"

struct zip;
struct zip_file;

namespace nmt {

class ZipArchive {
 public:
  /// Opens `path` and reads its directory. Throws Error if it cannot be read, is not a zip archive or
  /// damaged, if an entry is encrypted or compressed in another way, and if all entries take far more memory
  /// than the file.
  explicit ZipArchive(const std::string& path) : ZipArchive(map_file(path), path) {}
  /// Opens an archive whose bytes are mapped already; messages call them `path`.
  ZipArchive(MemoryMap map, const std::string& path);
  ~ZipArchive();

  const std::string& path() const { return path_; }
  /// Returns the uncompressed size in bytes of each entry by name.
  const std::map<std::string, std::uint64_t>& sizes() const { return sizes_; }
  bool contains(const std::string& name) const { return sizes_.contains(name); }

  /// Reads the bytes of an entry, starting at `begin`, into `to`, which must not reach beyond the end. Checks
  /// the checksum if it reaches the end. Can be called on several threads at a time. Throws Error if there is
  /// no such entry or it is damaged.
  void read(const std::string& name, std::uint64_t begin, std::span<std::byte> to) const;

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };
  struct Close {
    void operator()(zip_file* file) const;
  };
  using File = std::unique_ptr<zip_file, Close>;

  void open();
  /// Throws Error if bytes follow the archive, which libzip ignores.
  void check_end() const;
  /// Reads exactly this many bytes.
  void read_all(const File& file, const std::string& name, std::span<std::byte> to) const;

  /// An entry that was read in part, which is often read on.
  struct Begun {
    std::string name;
    std::uint64_t at = 0;
    File file;
  };
  /// Returns an entry, read up to `begin`.
  Begun begun_at(const std::string& name, std::uint64_t begin) const;

  std::string path_;
  MemoryMap map_;
  std::unique_ptr<zip, Discard> archive_;
  std::map<std::string, std::uint64_t> sizes_;
  mutable std::mutex mutex_;  // libzip has state that readers share
  mutable Begun last_;
};

/// An archive of less than 4 GiB and 65,536 entries, which the caller must ensure.
class StoredZip {
 public:
  static constexpr std::uint64_t kEndBytes = 22;
  /// Returns the bytes of an entry in addition to its contents.
  static std::uint64_t entry_bytes(const std::string& name) { return 30 + 46 + 2 * name.size(); }

  /// Throws Error as AtomicFile does.
  explicit StoredZip(const std::string& path) : file_(path) {}

  /// A function that passes the data of an entry, part by part, to the function that it is called with; the
  /// data is the same each time.
  using Data = std::function<void(const std::function<void(const std::vector<std::byte>& part)>& take)>;
  /// Appends an entry whose contents are `head` followed by `size` bytes of data. Throws Error as
  /// AtomicFile::write() does.
  void add(const std::string& name, std::string_view head, std::uint64_t size, const Data& data);
  /// Writes the directory and completes the file. Call once, last; see AtomicFile.
  void commit();

 private:
  AtomicFile file_;
  std::uint64_t written_ = 0;
  std::uint16_t entries_ = 0;
  std::string directory_;
};

}  // namespace nmt
