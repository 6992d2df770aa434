#include "metrics/score.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

namespace nmt::metrics {
namespace {

std::string join(const std::vector<std::pair<std::string, std::string>>& signature) {
  std::string joined;
  for (const auto& [key, value] : signature)
    joined += fmt::format("{}{}:{}", joined.empty() ? "" : "|", key, value);
  return joined;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump();
}

}  // namespace

std::string Score::number(int width) const {
  return fmt::format("{:.{}f}", value, width);
}

std::string Score::text(int width) const {
  return fmt::format("{}|{} = {} {}", name, join(signature), number(width), details);
}

// Python's layout, its shortest digits for the number included, which the JSON library does not always find.
std::string Score::json(int width) const {
  const std::string digits = number(width);
  double rounded = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
  std::string object = fmt::format("{{\n \"name\": {},\n \"score\": {:#}", quoted(name), rounded);
  const auto add = [&object](const std::string& key, const std::string& text) {
    object += fmt::format(",\n {}: {}", quoted(key), quoted(text));
  };
  add("signature", join(signature));
  add("verbose_score", details);
  for (const auto& [key, text] : signature) add(key, text);
  return object + "\n}";
}

}  // namespace nmt::metrics
