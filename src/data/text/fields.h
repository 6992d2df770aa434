// The fields of a line.
#pragma once

#include <string_view>
#include <vector>

namespace nmt {

/// What stands between the spaces and tabs of a line, as parts of it.
std::vector<std::string_view> fields_of(std::string_view line);

}  // namespace nmt
