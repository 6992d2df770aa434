#include "common/text/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

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

/// Returns the only name that has `word` among its parts between dashes; empty if there is none or several.
std::string with_part(const std::string& word, const std::vector<std::string>& names) {
  std::string found;
  for (const std::string& name : names) {
    if (("-" + dashed(name) + "-").find("-" + dashed(word) + "-") == std::string::npos) continue;
    if (!found.empty()) return "";
    found = name;
  }
  return found;
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

std::string comparable(std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return dashed(std::move(name));
}

std::string join(const std::vector<std::string>& texts, std::string_view separator) {
  return fmt::format("{}", fmt::join(texts, separator));
}

std::string quoted(std::string text) {
  constexpr std::size_t kMostBytes = 80;
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
    if (std::abs(std::ssize(word) - std::ssize(name)) >= least)
      continue;  // skip the table if the lengths differ too much
    const int d = distance(dashed(word), dashed(name));
    if (d < least) {
      least = d;
      best = name;
    }
  }
  return best.empty() && !word.empty() ? with_part(word, names) : best;
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

namespace {

/// Returns the names that have `word` between dashes.
std::vector<std::string> names_with_part(const std::string& word, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (("-" + dashed(name) + "-").find("-" + dashed(word) + "-") != std::string::npos) found.push_back(name);
  }
  return found;
}

}  // namespace

std::vector<std::string> likely_names(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t kShortestPart = 3, kMost = 4;
  const std::string best = nearest(word, names);
  if (!best.empty()) return {best};
  if (word.size() < kShortestPart) return {};
  std::vector<std::string> found = names_with_part(word, names);
  if (found.size() > kMost) found.clear();
  return found;
}

std::string did_you_mean_any(const std::string& word, const std::vector<std::string>& names,
                             const std::string& before) {
  std::string text;
  const std::vector<std::string> likely = likely_names(word, names);
  for (std::size_t i = 0; i < likely.size(); ++i) {
    if (i > 0) text += i + 1 == likely.size() ? " or " : ", ";
    text += "'" + before + likely[i] + "'";
  }
  return text.empty() ? "" : ", did you mean " + text + "?";
}

namespace {

constexpr char kQuote = '`';

bool is_setting(std::string_view name) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && is_letter(name.front()) && is_letter(name.back()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || c == '_'; });
}

/// Returns the message with each setting as `called` writes it.
std::string with_names(std::string_view message, std::string (*called)(std::string name)) {
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t begin = std::min(message.find(kQuote, at), message.size());
    text += message.substr(at, begin - at);
    at = begin;
    if (begin == message.size()) break;
    const std::size_t end = message.find(kQuote, begin + 1);
    const std::string_view name =
        end == std::string_view::npos ? std::string_view() : message.substr(begin + 1, end - begin - 1);
    if (!is_setting(name)) {
      text += message[at++];
      continue;
    }
    text += called(std::string(name));
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string with_options(std::string_view message) {
  return with_names(message, [](std::string name) { return "--" + dashed(std::move(name)); });
}

std::string with_fields(std::string_view message) {
  return with_names(message, [](std::string name) { return "'" + name + "'"; });
}

}  // namespace nmt
