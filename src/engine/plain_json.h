// Parses JSON that comes from users.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace nmt {

/// Parses a text as json::parse() does, in linear time. Throws UsageError, in which the text is called
/// `what`, if it is nested more than `deepest` levels deep or if an object has a name twice, of which only
/// the last value would count; otherwise the errors of json::parse(), see json_fault().
nlohmann::json plain_json(std::string_view text, std::string what, int deepest);

/// Says where and why a text is invalid JSON: "at byte 5, where it ends before it is complete".
std::string json_fault(std::string_view text, const nlohmann::json::parse_error& error);
/// Says which number is too large.
std::string json_fault(const nlohmann::json::out_of_range& error);

}  // namespace nmt
