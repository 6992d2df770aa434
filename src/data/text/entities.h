// Character references of HTML and XML.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// Returns the character of a reference, where `name` is what is between "&" and ";": a number ("#228",
/// "#xE4"), or one of the common names ("amp", "nbsp", "auml"). Nothing if it is unknown or not a character.
std::optional<std::string> referenced_character(std::string_view name);

/// A reference at the beginning of a text, such as "&#228;" or "&auml;". As in browsers, the oldest names
/// need no ";" ("&copy 2020"), unless a letter, a digit or "=" follows, as in addresses ("?a&copy=1").
struct CharacterReference {
  std::size_t size = 0;  // in bytes; 0: no reference
  std::optional<std::string> character = std::nullopt;
};
CharacterReference reference_at(std::string_view text);

/// Replaces the known references in a text by their characters.
std::string without_references(std::string_view text);

/// Replaces "&", "<" and ">" in a text by references.
std::string with_references(std::string_view text);

}  // namespace nmt
