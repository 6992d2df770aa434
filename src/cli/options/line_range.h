// The range of lines that a command reads.
#pragma once

#include <cstdint>
#include <string>

namespace nmt {

/// A range of lines, counted from 1; both ends are included.
struct LineRange {
  std::int64_t first = 1, last = 1;
};

/// Parses "7" or "3-9". Throws UsageError, which calls the setting `origin`.
LineRange parse_line_range(const std::string& text, const std::string& origin);

}  // namespace nmt
