#include "cli/options/byte_size.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "common/text/number.h"

namespace nmt {
namespace {

constexpr std::string_view kByteUnits = "BKMGT";

/// Returns the exponent of 1024 for a unit such as "", "k", "MB" or "GiB".
std::optional<int> power_of_unit(std::string_view unit) {
  if (unit.empty()) return 0;
  const auto power = kByteUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0]))));
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = unit.substr(1);
  const bool is_read = rest.empty() || (power > 0 && (rest == "B" || rest == "b" || rest == "iB"));
  return is_read ? std::optional(static_cast<int>(power)) : std::nullopt;
}

}  // namespace

std::optional<ByteSize> parse_byte_size(std::string_view text) {
  constexpr double kMost = 9e15;  // above this, double cannot represent all whole numbers
  const std::size_t last = text.find_last_of("0123456789");
  if (last == std::string_view::npos) return std::nullopt;
  const std::string_view number = text.substr(0, last + 1);
  std::string_view unit = text.substr(last + 1);
  if (unit.size() > 1 && unit.front() == ' ') unit.remove_prefix(1);
  const std::optional<int> power = power_of_unit(unit);
  const std::optional<double> count = number_of<double>(digits_of(number).value_or(std::string(number)));
  if (!power || !count) return std::nullopt;
  const double bytes = std::ldexp(*count, 10 * *power), whole = std::round(bytes);
  if (!(whole >= 1) || whole > kMost || (*power == 0 && bytes != whole)) return std::nullopt;
  return ByteSize{static_cast<std::uintmax_t>(whole)};
}

std::string format_byte_size(ByteSize size) {
  constexpr std::uintmax_t kFactor = 1024;
  std::size_t power = 0;
  for (; size.bytes % kFactor == 0 && power + 1 < kByteUnits.size() && size.bytes > 0; ++power)
    size.bytes /= kFactor;
  return power == 0 ? fmt::format("{}", size.bytes) : fmt::format("{}{}", size.bytes, kByteUnits[power]);
}

}  // namespace nmt
