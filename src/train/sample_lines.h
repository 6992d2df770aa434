// Sample lines of a validation text, which show how translations improve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nmt {

/// Returns the indices, from 0, of five lines (or all) spread evenly over a text of `count` lines.
std::vector<std::int64_t> sample_lines(std::int64_t count);

/// Returns a line, or its first `longest` bytes and "…".
std::string cut_short(std::string line, std::size_t longest);

}  // namespace nmt
