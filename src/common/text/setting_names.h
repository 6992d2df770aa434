// Names of settings in messages. Messages name settings as YAML does, between backticks: "raise
// `max_length`". Backticks around anything else stay.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// The message for users of the command line, where settings are options: "raise --max-length".
std::string with_options(std::string_view message);

/// The message for users of JSON, where settings are fields: "raise 'max_length'".
std::string with_fields(std::string_view message);

}  // namespace nmt
