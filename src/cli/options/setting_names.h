// Names of settings in messages.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// A message for who works with a command line. Messages name settings as they are called in YAML, between
/// backticks: "raise `max_length`"; here they are options: "raise --max-length". Backticks around anything
/// else stay.
std::string with_options(std::string_view message);

}  // namespace nmt
