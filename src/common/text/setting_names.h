// Names of settings in messages. Messages write settings as in YAML, in backticks: "raise `max_length`".
// Backticks around anything else stay.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Rewrites a message for the command line, where settings are options: "raise --max-length".
std::string with_options(std::string_view message);

/// Rewrites a message for JSON, where settings are fields: "raise 'max_length'".
std::string with_fields(std::string_view message);

}  // namespace nmt
