// Characters of UTF-8 text, and the character classes that matter for ends of sentences.
#pragma once

#include <unicode/umachine.h>

#include <cstddef>
#include <string_view>

namespace nmt::sentences {

/// A character and its bytes; without bytes at the ends of a text.
struct Character {
  UChar32 value = 0;
  std::size_t size = 0;

  bool is_there() const { return size > 0; }
};

Character character_at(std::string_view text, std::size_t place);
Character character_before(std::string_view text, std::size_t place);

bool is_letter(UChar32 character);
/// Whether a character is upper case, or lower case, in a script with capital letters. Georgian counts as a
/// script without, as its sentences have none.
bool is_upper(UChar32 character);
bool is_lower(UChar32 character);
bool is_digit(UChar32 character);
/// Whether a character combines with the one before it, such as an accent.
bool is_mark(UChar32 character);
bool is_space(UChar32 character);
/// Whether a character always ends a sentence: a line feed or another line separator.
bool ends_line(UChar32 character);

bool is_apostrophe(UChar32 character);
bool is_dash(UChar32 character);
bool is_emoji(UChar32 character);
/// Whether a character is a closing quotation mark or bracket; ' and " count as well.
bool is_closing(UChar32 character);
/// Whether a character is a quotation mark that usually opens: “ « ‘, which close in other languages.
bool is_initial_quote(UChar32 character);
/// Whether a character may precede the first word of a sentence: quotation marks, brackets, dashes, ¿ ¡.
bool is_opening(UChar32 character);
bool is_opening_bracket(UChar32 character);
/// Whether a character is a symbol that stands for a word, as a number does: $ § # •.
bool is_symbol(UChar32 character);
bool is_punctuation(UChar32 character);

/// Whether a character is a full stop of a script other than Latin, a question mark or an exclamation mark.
bool is_stop(UChar32 character);
/// Whether a mark ends a sentence even without a space after it: 。 but not !.
bool ends_without_space(UChar32 character);

bool is_latin(UChar32 character);
bool is_greek(UChar32 character);
bool is_armenian(UChar32 character);
/// Whether a character belongs to Chinese, Japanese or Korean, where a letter is a syllable or a word.
bool is_east_asian(UChar32 character);
/// Whether the script has no spaces between words and no marks after sentences, such as Thai.
bool is_complex(UChar32 character);

/// Returns the place after the spaces at a place.
std::size_t skip_spaces(std::string_view text, std::size_t place);

}  // namespace nmt::sentences
