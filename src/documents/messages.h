// Messages of programs: texts with tags and placeholders.
#pragma once

#include <string>
#include <string_view>

#include "documents/content.h"

namespace nmt {

/// Returns the content for a text with tags: a tag and its end tag stay around the aligned words, and other
/// tags stay as they are. Line ends and tabs divide the text, and stay, too. `original`: its bytes.
Content translated_with_tags(std::string_view text, std::string_view original, const TextEncoding& encoding);

/// Returns the content for a message, whose placeholders such as {% if user %} stay, too. A message with
/// arguments in the format of ICU, such as {count, plural, one {a file} other {# files}}, is not translated.
/// `encode`: for the whole translation. `marks`: characters that may mark an accelerator, see Accelerator.
Content translated_message(std::string_view text, std::string_view original, const Encode& encode,
                           std::string_view marks = "");

}  // namespace nmt
