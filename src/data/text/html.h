// Definitions of HTML: character references and tags.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
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

/// Whether a text begins with a tag, a comment, a declaration or an instruction.
bool begins_markup(std::string_view text);

/// Returns "-->", "]]>" or "?>" if the text begins with a comment, a CDATA section or an instruction, which
/// these end; otherwise an empty text. The ending may overlap the beginning, as in "<!-->", but not the "<".
std::string_view ending_of_section(std::string_view text);

/// Returns the position of the first of these characters that is not in quotes, as the values of a tag are;
/// npos if there is none. `quote`: the quote that is open before the text and, afterwards, where the search
/// ended; 0 if there is none.
std::size_t find_unquoted(std::string_view text, std::string_view characters, char& quote);

/// Returns the position of the first end tag of this name, in upper or lower case; npos if there is none.
/// `name`: in lower case.
std::size_t find_end_tag(std::string_view text, std::string_view name);

/// Returns the name in a tag, in lower case. `tag` begins with "<" or "</".
std::string name_in_tag(std::string_view tag);

/// Returns the value of an attribute of a begin tag, in lower case; empty if the attribute has no value, and
/// nothing if the tag lacks the attribute. `name`: in lower case.
std::optional<std::string> attribute_in_tag(std::string_view tag, std::string_view name);

/// Whether the text of an element is translated, according to its begin tag: its attribute `translate`, the
/// class `notranslate`, or a name of elements that hold code and the like. Nothing: the parent of the element
/// decides.
std::optional<bool> translates(std::string_view tag);

/// Whether elements of this name have no content and no end tag, as <br>.
bool is_void_element(const std::string& name);
/// Whether there are no tags in elements of this name, as in <script>; their text is not translated.
bool is_raw_element(const std::string& name);
/// Whether elements of this name end a word and a sentence before and after them.
bool is_block_element(const std::string& name);

/// Which elements divide a text.
struct BlockRules {
  bool of_html = true;                // whether is_block_element() says so
  std::set<std::string> others = {},  // which divide it, too
      exceptions = {};                // of is_block_element(), which do not

  bool divides(const std::string& name) const {
    return others.contains(name) || (of_html && !exceptions.contains(name) && is_block_element(name));
  }
};
/// Whether the end tag of elements of this name may be omitted.
bool may_omit_end_tag(const std::string& name);
/// Whether elements of this name, whose text is not translated, may continue on further lines if each line is
/// a text of its own. This holds for elements between sentences (<pre>), programs and pictures (<script>,
/// <svg>), but not for phrases (<code>), nor for elements whose end tag may be omitted.
bool may_span_lines(const std::string& name);
/// Whether the begin tag of an element `next` ends an open element `open`, whose end tag was omitted.
bool ends_element(const std::string& next, const std::string& open);

}  // namespace nmt
