// JSON files of models: parsed in linear time, with messages that say what is wrong and where.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace nmt {

/// Parses the JSON text of a file that messages call `name`. Throws Error if it is empty, not valid JSON, or
/// nested more deeply than files of models ever are, and if a number in it is too large.
nlohmann::json parsed_json(std::string_view text, const std::string& name);

/// Returns a value of a parsed file that is an id or a count. Throws Error for anything else, including
/// fractions and numbers beyond `most`, which the JSON library would convert; the message begins with `what`:
/// "the id".
std::int64_t whole_number_in(const nlohmann::json& value, const std::string& what, std::int64_t most);

/// Returns the number for which the JSON library threw this error: "1e400".
std::string_view number_out_of_range(const nlohmann::json::out_of_range& error);

/// Returns a value as text for messages, shortened if it is long.
std::string shown_json(const nlohmann::json& value);

}  // namespace nmt
