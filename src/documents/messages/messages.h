// Messages of programs: texts with tags and placeholders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "documents/content.h"

namespace nmt {

/// Returns the content for a text with tags: a tag and its end tag stay around the aligned words, and other
/// tags stay as they are. Line ends and tabs divide the text, and stay, too. `original`: its bytes.
Content translated_with_tags(std::string_view text, std::string_view original, const TextEncoding& encoding);

/// Whether a text has arguments in the format of ICU that are nested or have commas.
bool has_icu_arguments(std::string_view text);

/// Returns the content for a message, whose placeholders such as {% if user %} stay, too. A message with
/// arguments in the format of ICU, such as {count, plural, one {a file} other {# files}}, is not translated.
/// `encode`: for the whole translation. `marks`: characters that may mark an accelerator, see Accelerator;
/// words with such a character that marks none, such as R&D, stay.
Content translated_message(std::string_view text, std::string_view original, const Encode& encode,
                           std::string_view marks = "&");
/// Likewise, for a message that is divided into parts already, in whose texts all white space is the same, as
/// in XML.
Content translated_message(std::vector<Inline> parts, const Content& original, const TextEncoding& encoding,
                           std::string_view marks);

}  // namespace nmt
