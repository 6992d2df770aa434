#include "common/text/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace nmt {
namespace {

/// Returns "25000" for "25,000" if the comma is a separator; empty for anything but digits in groups of
/// three, and for "0,001", which is a fraction.
std::string without_separators(std::string_view text, std::string_view separators) {
  constexpr std::size_t kGroup = 4;  // with its separator
  if (text.starts_with('0')) return "";
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_separator_due = (text.size() - i) % kGroup == 0;
    const bool is_separator = separators.find(text[i]) != std::string_view::npos;
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (is_separator_due ? !is_separator || i == 0 : !is_digit) return "";
    if (is_digit) digits += text[i];
  }
  return text.size() > kGroup ? digits : "";
}

}  // namespace

std::optional<std::string> digits_of(std::string_view text) {
  constexpr double kMost = 9e15;  // above this, double cannot represent all whole numbers
  std::string digits = without_separators(text, ",_");
  if (!digits.empty()) return digits;
  if (text.find_first_of("eEkKM") == std::string_view::npos) return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return std::nullopt;
  const std::string_view suffix(unit, static_cast<std::size_t>(end - unit));
  if (suffix == "k" || suffix == "K") {
    value *= 1e3;
  } else if (suffix == "M") {
    value *= 1e6;
  } else if (!suffix.empty()) {
    return std::nullopt;
  }
  const double whole = std::round(value);  // rounds: 2.3k is 2300, although 2.3 is not exact in binary
  if (std::abs(value - whole) > 1e-6 || std::abs(whole) > kMost) return std::nullopt;
  return fmt::format("{:.0f}", whole);
}

std::string without_dots(std::string_view text) {
  return without_separators(text, ".");
}

std::string format_seconds(double seconds) {
  const std::int64_t s = std::llround(std::min(seconds, 1e12));
  const std::int64_t minutes = s / 60, hours = minutes / 60, days = hours / 24;
  if (s < 60) return fmt::format("{} s", s);
  if (minutes < 60 && s % 60 == 0) return fmt::format("{} min", minutes);
  if (minutes < 60) return fmt::format("{} min {} s", minutes, s % 60);
  if (hours < 24) return fmt::format("{} h {} min", hours, minutes % 60);
  return fmt::format("{} d {} h", days, hours % 24);
}

}  // namespace nmt
