// Characters of UTF-8 text, and their classes as far as ends of sentences depend on them.
#pragma once

#include <unicode/umachine.h>

#include <cstddef>
#include <string_view>

namespace nmt::sentences {

/// A character and its bytes; of no bytes at the ends of a text.
struct Character {
  UChar32 value = 0;
  std::size_t size = 0;

  bool is_there() const { return size > 0; }
};

Character character_at(std::string_view text, std::size_t place);
Character character_before(std::string_view text, std::size_t place);

bool is_letter(UChar32 character);
/// Whether the script has capital letters and this is one, or is not one. Georgian has none in sentences.
bool is_upper(UChar32 character);
bool is_lower(UChar32 character);
bool is_digit(UChar32 character);
/// Whether a character is drawn together with the one before it, such as an accent.
bool is_mark(UChar32 character);
bool is_space(UChar32 character);
/// Whether no sentence goes on after this character: a line feed or another separator of lines.
bool ends_line(UChar32 character);

bool is_apostrophe(UChar32 character);
bool is_dash(UChar32 character);
bool is_emoji(UChar32 character);
/// Whether a character is a quotation mark or bracket that closes; ' and " do as well.
bool is_closing(UChar32 character);
/// Whether a quotation mark usually opens: “ « ‘, which close in other languages.
bool is_initial_quote(UChar32 character);
/// Whether a character may stand before the first word of a sentence: quotation marks, brackets, dashes, ¿ ¡.
bool is_opening(UChar32 character);
bool is_opening_bracket(UChar32 character);
/// Whether a character stands for something, as a number does: $ § # •.
bool is_symbol(UChar32 character);
bool is_punctuation(UChar32 character);

/// Whether a character is a full stop of a script other than Latin, a question or an exclamation mark.
bool is_stop(UChar32 character);
/// Whether a sentence ends with such a mark although no space follows: 。 but not !.
bool ends_without_space(UChar32 character);

bool is_latin(UChar32 character);
bool is_greek(UChar32 character);
bool is_armenian(UChar32 character);
/// Whether a character belongs to Chinese, Japanese or Korean, where a letter is a syllable or a word.
bool is_east_asian(UChar32 character);
/// Whether words of the script have no spaces between them and sentences no marks, as in Thai.
bool is_complex(UChar32 character);

/// The place after the spaces that stand at a place.
std::size_t skip_spaces(std::string_view text, std::size_t place);

}  // namespace nmt::sentences
