#include "cli/options/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>

#include "common/error.h"
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

LineRange parse_line_range(const std::string& text, const std::string& origin) {
  const std::size_t dash = text.find('-');
  const auto read = [](const std::string& number, std::int64_t& line) {
    return ValueType<std::int64_t>::read(number, line) == Reading::good && line >= 1;
  };
  LineRange range;
  const bool is_read = read(text.substr(0, dash), range.first) &&
                       read(dash == std::string::npos ? text : text.substr(dash + 1), range.last);
  if (!is_read || range.last < range.first) {
    throw UsageError("{}: '{}' is not a line or a range of lines, such as 7 or 3-9", origin, text);
  }
  return range;
}

std::vector<std::string> likely_meant(const std::string& text) {
  constexpr std::size_t kLongestValue = 64;  // longer values are hardly typing errors
  if (text.size() > kLongestValue) return {};
  std::string word;
  std::ranges::remove_copy(text, std::back_inserter(word), ' ');
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<std::string> meant;
  if (text.ends_with('M')) meant.push_back(word.substr(0, word.size() - 1) + "Mt");
  meant.push_back(word);
  const std::size_t end = std::min(word.find_first_not_of("0123456789."), word.size());
  if (const std::string digits = without_dots(word.substr(0, end)); !digits.empty())
    meant.push_back(digits + word.substr(end));
  if (const auto digits = digits_of(word.ends_with('m') ? word.substr(0, word.size() - 1) + 'M' : word))
    meant.push_back(*digits);
  meant.push_back(word);
  std::ranges::replace(meant.back(), ',', '.');
  const auto is_of_number = [](unsigned char c) { return std::isdigit(c) != 0 || c == '.' || c == ','; };
  for (std::size_t length = word.size(); length-- > 1 && !is_of_number(word[length]);)
    meant.push_back(word.substr(0, length));
  return meant;
}

}  // namespace nmt
