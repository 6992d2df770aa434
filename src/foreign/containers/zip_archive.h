// Zip archives, read by the names of their entries. Entries are stored or deflated; archives and entries may
// be of more than 4 GiB (zip64). No page stays in memory for what has been read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "common/io/memory_map.h"

struct zip;
struct zip_file;

namespace nmt {

class ZipArchive {
 public:
  /// Opens `path` and reads what is in it. Throws Error when it cannot be read, is no zip archive or damaged,
  /// when an entry is encrypted or packed in another way, and when all of them take far more memory than the
  /// file.
  explicit ZipArchive(const std::string& path) : ZipArchive(map_file(path), path) {}
  /// The same of bytes that are mapped already; messages call them `path`.
  ZipArchive(MemoryMap map, const std::string& path);
  ~ZipArchive();

  const std::string& path() const { return path_; }
  /// The bytes of each entry, unpacked, by name.
  const std::map<std::string, std::uint64_t>& sizes() const { return sizes_; }
  bool contains(const std::string& name) const { return sizes_.contains(name); }

  /// Puts the bytes of an entry from `begin` on into `to`, which must not reach beyond its end. Its checksum
  /// is checked where they reach to it. Can be called by several threads at once. Throws Error when there is
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
  /// Reads exactly so many bytes.
  void read_all(const File& file, const std::string& name, std::span<std::byte> to) const;

  std::string path_;
  MemoryMap map_;
  std::unique_ptr<zip, Discard> archive_;
  std::map<std::string, std::uint64_t> sizes_;
  mutable std::mutex mutex_;  // libzip has state for whoever reads
};

}  // namespace nmt
