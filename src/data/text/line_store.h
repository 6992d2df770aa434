// Random access to the lines of a text of any size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/io/checksum.h"
#include "common/io/memory_map.h"
#include "common/io/spool.h"

namespace nmt {

/// Lines of text in an unlinked temporary file with an index of offsets beside it. Both are mapped, so that
/// memory does not grow with the text and a change of the original does no harm.
class LineStore {
 public:
  /// Collects the lines of a store.
  class Builder {
   public:
    /// Throws Error when the temporary directory cannot be written.
    explicit Builder(std::string name) : name_(std::move(name)) {}

    /// Throws Error when the temporary directory has no room.
    void add(std::string_view line);
    LineStore finish();

   private:
    std::string name_;
    Spool text_, index_;
    Checksum checksum_;
    std::int64_t lines_ = 0, longest_ = 0, end_ = 0;
  };

  /// What messages call the text.
  const std::string& name() const { return name_; }
  std::int64_t size() const { return lines_; }
  /// Bytes of the longest line.
  std::int64_t longest() const { return longest_; }
  /// XXH3-64 of all lines with their ends.
  std::uint64_t checksum() const { return checksum_; }
  /// Line i, without its end, from 0. Valid as long as this object.
  std::string_view operator[](std::int64_t i) const;
  /// Gives the memory of what was read back to the system; see MemoryMap.
  void forget_pages() const;

 private:
  LineStore() = default;

  std::string name_;
  MemoryMap text_, index_;  // index: the end of each line in the text, 8 bytes each
  std::int64_t lines_ = 0, longest_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace nmt
