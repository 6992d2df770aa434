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

}  // namespace

std::string Score::number(int width) const {
  return fmt::format("{:.{}f}", value, width);
}

std::string Score::text(int width) const {
  return fmt::format("{}|{} = {} {}", name, join(signature), number(width), details);
}

std::string Score::json(int width) const {
  const std::string digits = number(width);
  double rounded = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
  nlohmann::ordered_json object = {
      {"name", name}, {"score", rounded}, {"signature", join(signature)}, {"verbose_score", details}};
  for (const auto& [key, text] : signature) object[key] = text;
  return object.dump(1);
}

}  // namespace nmt::metrics
