// Counts in messages.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace nmt {

/// Formats a count: "1 pair", "2 pairs", "1.5 pairs"; `plural`: the suffix of the plural.
template <class Number>
std::string count_of(Number count, std::string_view noun, std::string_view plural = "s") {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : plural);
}

}  // namespace nmt
