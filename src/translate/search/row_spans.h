// Spans of rows, handed out and taken back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace nmt {

/// The lowest span of rows that is long enough, first come, first served.
class RowSpans {
 public:
  explicit RowSpans(std::int64_t rows) { give(0, rows); }

  /// Where `rows` rows begin, at least one; nothing where so many are not free side by side.
  std::optional<std::int64_t> take(std::int64_t rows);
  void give(std::int64_t begin, std::int64_t rows);

 private:
  std::map<std::int64_t, std::int64_t> free_;  // ends by beginnings; no two meet
};

}  // namespace nmt
