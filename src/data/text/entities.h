// Character references of HTML and XML.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// The character that a reference stands for, of which `name` is what is between "&" and ";": a number
/// ("#228", "#xE4"), or one of the usual names ("amp", "nbsp", "auml"). None: it is unknown, or stands for no
/// character.
std::optional<std::string> referenced_character(std::string_view name);

/// A reference that a text begins with, such as "&#228;" or "&auml;".
struct CharacterReference {
  std::size_t size = 0;  // in bytes; 0: the text begins with none
  std::optional<std::string> character = std::nullopt;
};
CharacterReference reference_at(std::string_view text);

/// The text with the characters that the known references in it stand for.
std::string without_references(std::string_view text);

/// The text with "&", "<" and ">" as references.
std::string with_references(std::string_view text);

}  // namespace nmt
