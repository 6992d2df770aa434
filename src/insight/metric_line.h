// What stands in a line of metrics.jsonl, which may hold anything.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace nmt {

/// A counter of a line; 0 where there is none.
inline std::int64_t whole_number_of(const nlohmann::ordered_json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

/// A number of a line; nothing where there is none.
inline std::optional<double> number_of(const nlohmann::ordered_json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

}  // namespace nmt
