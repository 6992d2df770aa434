#include "cli/options/likely_meant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

namespace nmt {
namespace {

/// "25000" for "25,000" and "25_000"; empty for what is not digits grouped by threes.
std::string without_grouping(const std::string& number) {
  constexpr std::size_t kGroup = 4;  // with its separator
  std::string digits;
  for (std::size_t i = 0; i < number.size(); ++i) {
    const bool separates = number[i] == ',' || number[i] == '_';
    if (separates != ((number.size() - i) % kGroup == 0)) return "";
    if (!separates) digits += number[i];
  }
  return digits;
}

/// "10000" for "1e4" and "10k"; empty for what is no whole number in such a way.
std::string in_full(const std::string& number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [unit, code] = std::from_chars(number.data(), end, value);
  if (code != std::errc()) return "";
  const std::string_view suffix(unit, static_cast<std::size_t>(end - unit));
  if (suffix == "k") value *= 1e3;
  if (suffix == "m") value *= 1e6;
  const bool is_read = suffix.empty() || suffix == "k" || suffix == "m";
  return is_read && std::floor(value) == value ? fmt::format("{:.0f}", value) : "";
}

}  // namespace

std::vector<std::string> likely_meant(const std::string& text) {
  constexpr std::size_t kLongestValue = 64;  // of what is no text
  if (text.size() > kLongestValue) return {};
  std::string word;
  std::ranges::remove_copy(text, std::back_inserter(word), ' ');
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
  std::vector<std::string> meant;
  if (text.ends_with('M')) meant.push_back(word.substr(0, word.size() - 1) + "Mt");
  meant.push_back(word);
  if (word == "yes" || word == "on" || word == "1") meant.emplace_back("true");
  if (word == "no" || word == "off" || word == "0") meant.emplace_back("false");
  if (word.ends_with('k')) meant.push_back(word + "t");
  meant.push_back(without_grouping(word));
  meant.push_back(in_full(word));
  meant.push_back(word);
  std::ranges::replace(meant.back(), ',', '.');
  const auto is_of_number = [](unsigned char c) { return std::isdigit(c) != 0 || c == '.' || c == ','; };
  for (std::size_t length = word.size(); length-- > 1 && !is_of_number(word[length]);)
    meant.push_back(word.substr(0, length));
  return meant;
}

}  // namespace nmt
