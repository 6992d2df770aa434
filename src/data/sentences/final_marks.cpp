#include "data/sentences/final_marks.h"

#include <unicode/uchar.h>

#include "data/sentences/characters.h"

namespace nmt::sentences {
namespace {

bool is_simple_mark(UChar32 character) {
  return character == '.' || character == U'…' || is_stop(character);
}

bool is_space_or_end(std::string_view text, std::size_t place) {
  const Character c = character_at(text, place);
  return !c.is_there() || is_space(c.value);
}

bool is_superscript(UChar32 character) {
  return u_getIntPropertyValue(character, UCHAR_DECOMPOSITION_TYPE) == U_DT_SUPER &&
         u_charType(character) == U_OTHER_NUMBER;
}

/// Returns the place after a reference at this place, [12] or ¹², or this place.
std::size_t skip_reference(std::string_view text, std::size_t place) {
  Character c = character_at(text, place);
  for (; c.is_there() && is_superscript(c.value); c = character_at(text, place)) place += c.size;
  if (c.value != '[') return place;
  std::size_t end = place + 1;
  while (is_digit(character_at(text, end).value)) end += character_at(text, end).size;
  return end > place + 1 && character_at(text, end).value == ']' ? end + 1 : place;
}

std::size_t skip_emoji(std::string_view text, std::size_t place) {
  for (Character c = character_at(text, place); c.is_there() && is_emoji(c.value);
       c = character_at(text, place))
    place += c.size;
  return place;
}

/// Whether a character closes directly after the marks. “ does in German, but opens after 。; so does ".
bool closes(UChar32 character, bool needs_space, bool has_open_quote) {
  if (character == '"' && !needs_space) return has_open_quote;
  if (is_closing(character)) return true;
  return needs_space && (is_initial_quote(character) || character == '*' || character == '_');
}

std::size_t skip_closing(std::string_view text, std::size_t place, bool needs_space, bool has_open_quote) {
  for (std::size_t before = text.size() + 1; before != place;) {
    before = place;
    place = skip_emoji(text, skip_reference(text, place));
    const Character c = character_at(text, place);
    if (!c.is_there() || !closes(c.value, needs_space, has_open_quote)) continue;
    has_open_quote ^= c.value == '"';
    place += c.size;
  }
  return place;
}

/// Returns the place after closing marks with spaces on both sides: » in French, and emoji.
std::size_t skip_spaced_closing(std::string_view text, std::size_t place, bool has_open_quote) {
  for (;;) {
    const std::size_t begin = skip_spaces(text, place);
    const Character c = character_at(text, begin);
    const bool closes = c.value == '"' ? has_open_quote : is_closing(c.value) && !is_apostrophe(c.value);
    const std::size_t end = closes ? begin + c.size : skip_emoji(text, begin);
    if (end == begin || begin == place || !is_space_or_end(text, end)) return place;
    place = end;
  }
}

}  // namespace

bool is_final_mark(std::string_view text, std::size_t place) {
  const Character c = character_at(text, place);
  if (!c.is_there()) return false;
  if (c.value == ';') return is_greek(character_before(text, place).value);
  if (c.value == ':') return is_armenian(character_before(text, place).value);
  return is_simple_mark(c.value);
}

FinalMarks final_marks_at(std::string_view text, std::size_t place, bool has_open_quote) {
  FinalMarks marks{.begin = place, .end = place, .kind = FinalMarks::Kind::ellipsis};
  std::size_t count = 0;
  for (Character c = character_at(text, place); c.is_there() && (count == 0 || is_simple_mark(c.value));
       c = character_at(text, marks.end)) {
    if (c.value != '.' && c.value != U'…') marks.kind = FinalMarks::Kind::full_stop;
    marks.needs_space &= !ends_without_space(c.value);
    marks.end += c.size;
    ++count;
  }
  if (count == 1 && text[place] == '.') marks.kind = FinalMarks::Kind::period;
  marks.closed = skip_closing(text, marks.end, marks.needs_space, has_open_quote);
  marks.closed = skip_spaced_closing(text, marks.closed, has_open_quote);
  return marks;
}

}  // namespace nmt::sentences
