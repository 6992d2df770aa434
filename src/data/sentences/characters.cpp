#include "data/sentences/characters.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/utf8.h>

#include <cstdint>

namespace nmt::sentences {
namespace {

bool has_category(UChar32 character, std::uint32_t mask) {
  return (U_GET_GC_MASK(character) & mask) != 0;
}

UScriptCode script_of(UChar32 character) {
  UErrorCode status = U_ZERO_ERROR;
  return uscript_getScript(character, &status);
}

}  // namespace

Character character_at(std::string_view text, std::size_t place) {
  if (place >= text.size()) return {};
  UChar32 value = 0;
  std::size_t end = place;
  U8_NEXT_OR_FFFD(reinterpret_cast<const std::uint8_t*>(text.data()), end, text.size(), value);
  return {value, end - place};
}

Character character_before(std::string_view text, std::size_t place) {
  if (place == 0) return {};
  const std::size_t from = place < U8_MAX_LENGTH ? 0 : place - U8_MAX_LENGTH;
  UChar32 value = 0;
  auto begin = static_cast<std::int32_t>(place - from);
  U8_PREV_OR_FFFD(reinterpret_cast<const std::uint8_t*>(text.data() + from), 0, begin, value);
  return {value, place - from - static_cast<std::size_t>(begin)};
}

bool is_letter(UChar32 character) {
  return has_category(character, U_GC_L_MASK);
}

bool is_upper(UChar32 character) {
  return has_category(character, U_GC_LU_MASK | U_GC_LT_MASK);
}

bool is_lower(UChar32 character) {
  return has_category(character, U_GC_LL_MASK) && script_of(character) != USCRIPT_GEORGIAN;
}

bool is_digit(UChar32 character) {
  return has_category(character, U_GC_ND_MASK);
}

bool is_mark(UChar32 character) {
  return has_category(character, U_GC_M_MASK);
}

bool is_space(UChar32 character) {
  return u_isUWhiteSpace(character) != 0;
}

bool ends_line(UChar32 character) {
  constexpr UChar32 kNextLine = 0x85, kLineSeparator = 0x2028, kParagraphSeparator = 0x2029;
  return character == '\n' || character == '\r' || character == kNextLine || character == kLineSeparator ||
         character == kParagraphSeparator;
}

bool is_apostrophe(UChar32 character) {
  return character == '\'' || character == U'’';
}

bool is_dash(UChar32 character) {
  return has_category(character, U_GC_PD_MASK);
}

bool is_emoji(UChar32 character) {
  constexpr UChar32 kVariant = 0xFE0F, kJoiner = 0x200D;
  return u_hasBinaryProperty(character, UCHAR_EMOJI_PRESENTATION) != 0 ||
         u_hasBinaryProperty(character, UCHAR_EMOJI_MODIFIER) != 0 || character == kVariant ||
         character == kJoiner;
}

bool is_closing(UChar32 character) {
  return has_category(character, U_GC_PE_MASK | U_GC_PF_MASK) || character == '"' || is_apostrophe(character);
}

bool is_initial_quote(UChar32 character) {
  return has_category(character, U_GC_PI_MASK);
}

bool is_opening_bracket(UChar32 character) {
  return has_category(character, U_GC_PS_MASK);
}

bool is_opening(UChar32 character) {
  return is_initial_quote(character) || is_opening_bracket(character) || is_dash(character) ||
         has_category(character, U_GC_PF_MASK) || character == '"' || is_apostrophe(character) ||
         character == U'¿' || character == U'¡' || character == '*' || character == '_';
}

bool is_symbol(UChar32 character) {
  return has_category(character, U_GC_SC_MASK | U_GC_SO_MASK) || character == '#' || character == '@' ||
         character == U'§' || character == U'•';
}

bool is_punctuation(UChar32 character) {
  return has_category(character, U_GC_P_MASK);
}

bool is_stop(UChar32 character) {
  switch (character) {
    case '.':
    case U'၊':  // the comma of Burmese
      return false;
    case U'។':  // full stops of Khmer and Tibetan
    case U'៕':
    case U'།':
    case U'༎':
    case 0x037E:  // the Greek question mark, which looks like a semicolon
      return true;
    default:
      return u_hasBinaryProperty(character, UCHAR_S_TERM) != 0;
  }
}

bool ends_without_space(UChar32 character) {
  constexpr UChar32 kGeneral = 0x2000, kEndOfGeneral = 0x2070;  // punctuation of all scripts, such as ⁉
  const bool is_ascii = character < 0x80, is_general = character >= kGeneral && character < kEndOfGeneral;
  return is_stop(character) && !is_ascii && !is_general && character != 0x037E;
}

bool is_latin(UChar32 character) {
  return script_of(character) == USCRIPT_LATIN;
}

bool is_greek(UChar32 character) {
  return script_of(character) == USCRIPT_GREEK;
}

bool is_armenian(UChar32 character) {
  return script_of(character) == USCRIPT_ARMENIAN;
}

bool is_east_asian(UChar32 character) {
  switch (script_of(character)) {
    case USCRIPT_HAN:
    case USCRIPT_HANGUL:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
      return true;
    default:
      return false;
  }
}

bool is_complex(UChar32 character) {
  return u_getIntPropertyValue(character, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT;
}

std::size_t skip_spaces(std::string_view text, std::size_t place) {
  for (Character c = character_at(text, place); c.is_there() && is_space(c.value);
       c = character_at(text, place))
    place += c.size;
  return place;
}

}  // namespace nmt::sentences
