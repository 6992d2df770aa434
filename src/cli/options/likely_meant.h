// Suggestions for invalid values.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Returns values that an invalid text may stand for, the likeliest first: "2Mt" for "2M", "0.1" for "0,1",
/// "5" for "5x". No digit is left out.
std::vector<std::string> likely_meant(const std::string& text);

}  // namespace nmt
