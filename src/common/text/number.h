// Numbers, counts and durations as text, and numbers from environment variables, for rare settings and
// tests.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "common/error.h"

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

/// Returns the decimal digits of a whole number that is written with separators, an exponent or a suffix:
/// "25000" for "25,000", "25_000", "2.5e4" and "25k", "2000000" for "2M". Nothing for any other text,
/// including plain digits, and for numbers above 9e15.
std::optional<std::string> digits_of(std::string_view text);

/// Returns "25000" for "25.000" and "1000000" for "1.000.000", where a whole number is expected: in many
/// languages dots separate thousands. Empty for any other text.
std::string without_dots(std::string_view text);

/// Formats a count: "1 pair", "2 pairs", "1.5 pairs"; `plural`: the suffix of the plural.
template <class Number>
std::string count_of(Number count, std::string_view noun, std::string_view plural = "s") {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : plural);
}

/// Formats a duration: "40 s", "12 min", "2 min 50 s", "3 h 20 min", "2 d 5 h".
std::string format_seconds(double seconds);

/// Returns the number in the environment variable `name`, from 1 to a million, or `otherwise` if it is not
/// set; `unit` is what it counts. Throws UsageError for any other value.
inline int number_from_environment(const char* name, const char* unit, int otherwise) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return otherwise;
  constexpr int kMost = 1'000'000;
  const std::string_view text = value;
  const int number = number_of<int>(text).value_or(0);
  if (number < 1 || number > kMost)
    throw UsageError("{} is '{}': it takes a number of {} from 1 to {}", name, text, unit, kMost);
  return number;
}

}  // namespace nmt
