// Which lines of a text a command takes.
#pragma once

#include <cstdint>
#include <string>

namespace nmt {

/// Lines first to last, counted from 1, both of them among them.
struct LineRange {
  std::int64_t first = 1, last = 1;
};

/// "7" or "3-9". Throws UsageError that calls the setting `origin`.
LineRange parse_line_range(const std::string& text, const std::string& origin);

}  // namespace nmt
