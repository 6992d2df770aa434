// Spans of time for people.
#pragma once

#include <string>

namespace nmt {

/// Formats a duration: "40 s", "12 min", "2 min 50 s", "3 h 20 min", "2 d 5 h".
std::string format_seconds(double seconds);

}  // namespace nmt
