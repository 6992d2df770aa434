// What somebody may have meant by a value that is none.
#pragma once

#include <string>
#include <vector>

namespace nmt {

/// Values that somebody may have meant by a text that is none, the likeliest first: "25,000", "10k" or "1e4"
/// for 25000 or 10000, "10min" for 10m, "yes" for true, "5x" for 5. No digit is left out.
std::vector<std::string> likely_meant(const std::string& text);

}  // namespace nmt
