// The lines of a validation text by which people see how translations grow better.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// Numbers, from 0, of five lines (or all) that lie evenly in a text of `count` lines.
std::vector<std::int64_t> sample_lines(std::int64_t count);

/// A line, or its beginning of `longest` bytes and "…".
std::string cut_short(std::string line, std::size_t longest);

}  // namespace nmt
