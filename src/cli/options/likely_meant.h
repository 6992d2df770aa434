// Suggestions for invalid values.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Values that somebody may have meant by an invalid text, the likeliest first: "2Mt" for "2M", "0.1" for
/// "0,1", "5" for "5x". No digit is left out.
std::vector<std::string> likely_meant(const std::string& text);

}  // namespace nmt
