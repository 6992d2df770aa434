// Lines of a text in memory.
#pragma once

#include <algorithm>
#include <string_view>

namespace nmt {

/// Removes the first line from a text, with its line end, and returns it without; the rest if no line end
/// follows.
inline std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace nmt
