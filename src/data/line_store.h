// Random access to the lines of a text of any size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/memory_map.h"

namespace nmt {

/// The lines of a text file (plain, .gz or .xz; repaired as TextReader does), copied once into an unlinked
/// temporary file with an index of offsets beside it. Both are mapped, so that memory does not grow with the
/// text and a change of the original does no harm.
class LineStore {
 public:
  /// Throws Error when the file cannot be read or the temporary directory has no room.
  explicit LineStore(const std::string& path);

  const std::string& name() const { return name_; }
  std::int64_t size() const { return lines_; }
  /// XXH3-64 of all lines with their ends.
  std::uint64_t checksum() const { return checksum_; }
  /// Line i, without its end, from 0. Valid as long as this object.
  std::string_view operator[](std::int64_t i) const;

 private:
  std::string name_;
  MemoryMap text_, index_;  // index: the end of each line in the text, 8 bytes each
  std::int64_t lines_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace nmt
