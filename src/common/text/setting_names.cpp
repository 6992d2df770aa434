#include "common/text/setting_names.h"

#include <algorithm>

#include "common/text/spelling.h"

namespace nmt {
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
