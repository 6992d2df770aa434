// JSON from users as it is read.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace nmt {

/// Watches json::parse(): throws UsageError that calls the text `what` where it is nested deeper than this,
/// and where an object has a name twice, of which the last value would count.
nlohmann::json::parser_callback_t plain_json(std::string what, int deepest);

/// Where and why a text is no JSON: "at byte 5, where it ends before it is complete".
std::string json_fault(std::string_view text, const nlohmann::json::parse_error& error);

}  // namespace nmt
