#include "cli/commands/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/text/utf8.h"

namespace nmt {
namespace {

constexpr std::string_view kBytesSuffix = "bytes";
constexpr std::size_t kIndent = 2;

bool is_size(const std::string& name, const Facts& value) {
  return value.is_number() && name.ends_with(kBytesSuffix);
}

/// Returns the label of a line: "weights" for "weights_bytes", "size" for "bytes".
std::string label(const std::string& name, const Facts& value) {
  std::string text = name;
  if (is_size(name, value)) text.resize(name.size() - kBytesSuffix.size());
  std::ranges::replace(text, '_', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text.empty() ? "size" : text;
}

/// Makes text from a file safe to print on one line of a terminal.
std::string harmless(std::string text) {
  repair_utf8(text);
  std::ranges::replace_if(
      text, [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == '\x7F'; }, ' ');
  return text;
}

std::string value_text(const std::string& name, const Facts& value) {
  if (is_size(name, value)) return fmt::format("{:.1f} MB", value.get<double>() / 1e6);
  if (value.is_string()) return harmless(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{:.4f}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Facts& element : value) {
    if (!text.empty()) text += ' ';
    text += value_text(name, element);
  }
  return text;
}

std::string lines_of(const Facts& facts, std::size_t margin) {
  std::size_t widest = 0;
  for (const auto& [name, value] : facts.items()) {
    if (!value.is_object()) widest = std::max(widest, label(name, value).size());
  }
  std::string text;
  for (const auto& [name, value] : facts.items()) {
    const std::string begin = std::string(margin, ' ') + label(name, value);
    if (value.is_object()) {
      text += begin + '\n' + lines_of(value, margin + kIndent);
    } else {
      text += fmt::format("{:<{}}  {}\n", begin, margin + widest, value_text(name, value));
    }
  }
  return text;
}

}  // namespace

std::string facts_text(const Facts& facts) {
  return lines_of(facts, 0);
}

std::string facts_json(const Facts& facts) {
  return facts.dump(2, ' ', false, Facts::error_handler_t::replace) + '\n';
}

}  // namespace nmt
