// Allocates spans of rows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace nmt {

/// Allocates the lowest free span of rows that is long enough.
class RowSpans {
 public:
  explicit RowSpans(std::int64_t rows) { give(0, rows); }

  /// Returns the first of `rows` adjacent free rows, at least one, and takes them; nothing if there is no
  /// such span.
  std::optional<std::int64_t> take(std::int64_t rows);
  /// Frees the span of `rows` rows that begins at `begin`.
  void give(std::int64_t begin, std::int64_t rows);

 private:
  std::map<std::int64_t, std::int64_t> free_;  // ends by beginnings; no two are adjacent
};

}  // namespace nmt
