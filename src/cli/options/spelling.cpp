#include "cli/options/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "common/text/utf8.h"

namespace nmt {
namespace {

/// Optimal string alignment distance.
int distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

/// The only one of these names that has `word` among its parts between dashes; empty where there is none, or
/// are several.
std::string with_part(const std::string& word, const std::vector<std::string>& names) {
  std::string found;
  for (const std::string& name : names) {
    if (("-" + dashed(name) + "-").find("-" + dashed(word) + "-") == std::string::npos) continue;
    if (!found.empty()) return "";
    found = name;
  }
  return found;
}

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

std::string dashed(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string join(const std::vector<std::string>& texts, std::string_view separator) {
  return fmt::format("{}", fmt::join(texts, separator));
}

std::string quoted(std::string text) {
  constexpr std::size_t kMostBytes = 200;
  const bool is_cut = text.size() > kMostBytes;
  if (is_cut) text.resize(kMostBytes);
  repair_utf8(text);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return "'" + text + (is_cut ? "...'" : "'");
}

std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  std::string best;
  int least = static_cast<int>(std::max<size_t>(1, word.size() / 3)) + 1;
  for (const std::string& name : names) {
    if (std::abs(std::ssize(word) - std::ssize(name)) >= least) continue;  // no table for what is long
    const int d = distance(dashed(word), dashed(name));
    if (d < least) {
      least = d;
      best = name;
    }
  }
  return best.empty() && !word.empty() ? with_part(word, names) : best;
}

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

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const std::string best = nearest(word, names);
  return best.empty() ? "" : ", did you mean '" + best + "'?";
}

}  // namespace nmt
