// Character references of HTML and XML.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// The character that a reference stands for, of which `name` is what is between "&" and ";": a number
/// ("#228",
/// "#xE4"), or one of the usual names ("amp", "nbsp", "auml"). None: it is unknown, or stands for no
/// character.
std::optional<std::string> referenced_character(std::string_view name);

/// The text with "&", "<" and ">" as references.
std::string with_references(std::string_view text);

}  // namespace nmt
