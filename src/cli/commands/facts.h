// Named facts about something, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace nmt {

/// An object whose values are texts, numbers, lists of those, or objects.
using Facts = nlohmann::ordered_json;

/// Returns one line per fact with its name and its value in aligned columns; the facts of a nested object are
/// indented under its name. Underscores of names become spaces; numbers whose name ends in `bytes` are shown
/// in MB.
std::string facts_text(const Facts& facts);

/// Returns the facts as JSON. Bytes that are not UTF-8 become U+FFFD.
std::string facts_json(const Facts& facts);

}  // namespace nmt
