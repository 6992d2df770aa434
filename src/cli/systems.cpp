#include "cli/systems.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/error.h"
#include "common/text_reader.h"
#include "metrics/white_space.h"

namespace nmt::cli {
namespace {

// Calls `take` with every piece of `text` between separators, the empty ones included.
template <class Take>
void split(std::string_view text, char separator, Take take) {
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    take(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  take(text);
}

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  split(metrics::strip_end(line), '\t', [&](std::string_view column) { columns.push_back(column); });
  return columns;
}

// Makes the systems on the first line.
void append_line(std::string_view line, const std::string& file, std::vector<System>& systems) {
  const std::vector<std::string_view> columns = columns_of(line);
  if (systems.empty()) {
    for (std::size_t i = 1; i <= columns.size(); ++i) {
      systems.push_back({columns.size() == 1 ? file : fmt::format("System {}", i), {}});
    }
  }
  if (columns.size() != systems.size()) {
    throw Error(
        "{}, line {}: {} columns separated by tabs, but line 1 has {}; a column is a system here: remove the "
        "tabs or "
        "name the file with -i",
        file, systems[0].lines.size() + 1, columns.size(), systems.size());
  }
  for (std::size_t i = 0; i < columns.size(); ++i) systems[i].lines.emplace_back(columns[i]);
}

}  // namespace

std::vector<System> read_systems(const std::vector<std::string>& paths) {
  std::vector<System> systems;
  systems.reserve(paths.size());
  for (const std::string& path : paths) systems.push_back({path, read_lines(path)});
  return systems;
}

std::vector<System> read_columns(const std::string& path) {
  TextReader reader(path);
  std::vector<System> systems;
  for (std::string line; reader.next(line);) {
    if (line.ends_with('\r')) line.pop_back();
    split(line, '\r', [&](std::string_view piece) { append_line(piece, reader.name(), systems); });
  }
  return systems;
}

}  // namespace nmt::cli
