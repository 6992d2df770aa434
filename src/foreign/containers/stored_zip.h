// Zip archives of uncompressed entries (APPNOTE.TXT of PKWARE), written byte for byte as Marian does: version
// 2.0, no flags, no time and no date, so that equal entries give equal files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/atomic_file.h"

namespace nmt {

/// An archive of less than 4 GiB and 65,536 entries, which the caller must ensure.
class StoredZip {
 public:
  static constexpr std::uint64_t kEndBytes = 22;
  /// Returns the bytes of an entry in addition to its contents.
  static std::uint64_t entry_bytes(const std::string& name) { return 30 + 46 + 2 * name.size(); }

  /// Throws Error as AtomicFile does.
  explicit StoredZip(const std::string& path) : file_(path) {}

  /// Appends an entry whose contents are `head` followed by `data`. Throws Error as AtomicFile::write() does.
  void add(const std::string& name, std::string_view head, const std::vector<std::byte>& data);
  /// Writes the directory and completes the file. Call once, last; see AtomicFile.
  void commit();

 private:
  AtomicFile file_;
  std::uint64_t written_ = 0;
  std::uint16_t entries_ = 0;
  std::string directory_;
};

}  // namespace nmt
