// Reads values from a line of metrics.jsonl, which may contain anything.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace nmt {

/// Returns a counter of a line; 0 if it is missing.
inline std::int64_t whole_number_of(const nlohmann::ordered_json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

/// Returns a number of a line; nothing if it is missing.
inline std::optional<double> number_of(const nlohmann::ordered_json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

}  // namespace nmt
