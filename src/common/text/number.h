// Parses numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace nmt {

/// Parses a text that is entirely a number, as std::from_chars reads it. Returns nothing if it is not a
/// number, has anything around it, such as spaces, or does not fit into Number.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

}  // namespace nmt
