// Parses JSON that comes from users.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace nmt {

/// Parses a text as json::parse() does, in linear time. Throws UsageError, whose message calls the text
/// `what`, if the text is nested more than `deepest` levels deep. Also throws it if an object has a name
/// twice, because only the last value would count. For invalid JSON, throws the errors of json::parse(), see
/// json_fault().
nlohmann::json plain_json(std::string_view text, std::string what, int deepest);

/// Describes where and why a text is invalid JSON: "at byte 5, where it ends before it is complete".
std::string json_fault(std::string_view text, const nlohmann::json::parse_error& error);
/// Says which number is too large.
std::string json_fault(const nlohmann::json::out_of_range& error);

}  // namespace nmt
