#include "metrics/score.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <nlohmann/json.hpp>

namespace nmt {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string digits(double number, int width) {
  return fmt::format("{:.{}f}", number, width);
}

double rounded(double number, int width) {
  const std::string text = digits(number, width);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::string plus_minus(const Confidence& confidence, int width) {
  return fmt::format("{} ± {}", digits(confidence.mean, width), digits(confidence.half_width, width));
}

/// The JSON library does not always find the shortest digits.
std::string json_number(double number) {
  std::string digits = fmt::format("{}", number);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

std::string Score::number(int width) const {
  std::string number = digits(value, width);
  if (!confidence || confidence->mean == 0) return number;
  return fmt::format("{} (μ = {})", number, plus_minus(*confidence, width));
}

std::string Score::signature_text() const {
  std::string joined;
  for (const auto& [key, text] : signature)
    joined += fmt::format("{}{}:{}", joined.empty() ? "" : "|", key, text);
  return joined;
}

std::string Score::text(int width) const {
  return fmt::format("{}|{} = {}{}{}", name, signature_text(), number(width), details.empty() ? "" : " ",
                     details);
}

std::string Score::json(int width, bool one_line) const {
  std::vector<std::string> fields;
  const auto add = [&fields](const std::string& key, const std::string& text) {
    fields.push_back(fmt::format("{}: {}", quoted(key), text));
  };
  add("name", quoted(name));
  add("score", json_number(rounded(value, width)));
  add("signature", quoted(signature_text()));
  if (confidence && confidence->mean != 0) {
    add("confidence_mean", json_number(rounded(confidence->mean, width)));
    add("confidence_var", json_number(rounded(confidence->half_width, width)));
    add("confidence", quoted("μ = " + plus_minus(*confidence, width)));
  }
  if (!details.empty()) add("verbose_score", quoted(details));
  for (const auto& [key, text] : signature) add(key, quoted(text));
  return one_line ? fmt::format("{{{}}}", fmt::join(fields, ", "))
                  : fmt::format("{{\n {}\n}}", fmt::join(fields, ",\n "));
}

}  // namespace nmt
