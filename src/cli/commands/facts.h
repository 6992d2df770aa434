// Facts about a thing, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace nmt {

/// An object: names, and values that are texts, numbers, lists of those, or objects.
using Facts = nlohmann::ordered_json;

/// A line for each fact, its name and its value, values below each other; those of an object indented under
/// its name. Underscores of names become blanks; numbers whose name ends in `bytes` are told in MB.
std::string facts_text(const Facts& facts);

/// The same as JSON. Bytes that are no UTF-8 become U+FFFD.
std::string facts_json(const Facts& facts);

}  // namespace nmt
