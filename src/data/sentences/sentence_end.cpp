#include "data/sentences/sentence_end.h"

#include <unicode/uchar.h>

#include <algorithm>

#include "data/sentences/characters.h"
#include "data/sentences/words.h"

namespace nmt::sentences {

namespace {

/// Whether only quotation marks, brackets and dashes precede a word of a sentence.
bool is_first_word(std::string_view text, std::size_t begin, std::size_t word) {
  constexpr std::size_t kMostBytes = 32;
  if (word - begin > kMostBytes) return false;
  for (Character c = character_at(text, begin); begin < word; c = character_at(text, begin += c.size)) {
    if (is_letter(c.value) || is_digit(c.value)) return false;
  }
  return true;
}

/// Whether text after a closed quotation continues with a particle: 「…。」と
bool goes_on_in_japanese(std::string_view text) {
  constexpr std::string_view kParticles[] = {"と", "っ", "を", "は", "が", "の"};
  constexpr std::string_view kOthers[] = {"とて", "とこ", "とに", "とり", "とう", "はい", "はじ", "のち"};
  const auto begins = [text](std::string_view word) { return text.starts_with(word); };
  return std::ranges::any_of(kParticles, begins) && std::ranges::none_of(kOthers, begins);
}

/// Whether a few words after a closed quotation say who speaks: “……。”他说。
bool goes_on_in_chinese(std::string_view text) {
  constexpr std::string_view kVerbs[] = {"说", "說", "道", "问", "問", "答", "喊", "叫", "写道"};
  constexpr std::size_t kMostCharacters = 8;
  std::size_t end = 0;
  for (std::size_t count = 0; count < kMostCharacters && is_east_asian(character_at(text, end).value);
       ++count)
    end += character_at(text, end).size;
  const Character next = character_at(text, end);
  const std::string_view words = text.substr(0, end);
  if ((next.is_there() && !is_punctuation(next.value)) || words.ends_with("知道")) return false;
  if (words.find("没") != words.npos || words.find("沒") != words.npos) return false;  // 他没有回答
  return std::ranges::any_of(kVerbs, [words](std::string_view verb) { return words.ends_with(verb); });
}

/// Whether a colon stands before the quotation that ends at `end`, so that its speaker has been named.
bool is_introduced(std::string_view text, std::size_t end) {
  constexpr std::size_t kMostBytes = 600;
  std::size_t place = end;
  Character c = character_before(text, place);
  while (c.is_there() && !is_initial_quote(c.value) && !is_opening_bracket(c.value) && c.value != '"') {
    place -= c.size;
    if (end - place > kMostBytes) return false;
    c = character_before(text, place);
  }
  const UChar32 before = character_before(text, place - c.size).value;
  return before == ':' || before == U'：';
}

/// Whether a few words after a closed quotation say who speaks: "……." 그가 말했다.
bool goes_on_in_korean(std::string_view text) {
  constexpr std::string_view kVerbs[] = {"말했다",   "말했습니다", "말했어요",   "말한다",  "말하며",
                                         "물었다",   "물었습니다", "대답했다",   "답했다",  "외쳤다",
                                         "속삭였다", "덧붙였다",   "중얼거렸다", "소리쳤다"};
  constexpr std::size_t kMostBytes = 60;
  std::size_t end = 0;
  for (Character c = character_at(text, 0); end < kMostBytes && (is_east_asian(c.value) || c.value == ' ');
       c = character_at(text, end))
    end += c.size;
  const Character next = character_at(text, end);
  if (next.is_there() && !is_punctuation(next.value)) return false;
  const std::string_view words = text.substr(0, end);
  return std::ranges::any_of(kVerbs, [words](std::string_view verb) { return words.ends_with(verb); });
}

/// Decides after marks that need no space.
bool ends_without_space(std::string_view text, const FinalMarks& marks) {
  const std::string_view rest = text.substr(skip_spaces(text, marks.closed));
  const Character next = character_at(rest, 0);
  if (!next.is_there()) return false;
  if (is_digit(next.value) && text.substr(marks.begin, marks.end - marks.begin) == "．") return false;
  if (is_punctuation(next.value) && (!is_opening(next.value) || is_dash(next.value))) return false;
  if (!marks.has_closing()) return true;
  return !goes_on_in_japanese(rest) && (!goes_on_in_chinese(rest) || is_introduced(text, marks.begin));
}

/// Whether a number belongs to an abbreviation before it, as in "Nr. 5", and so is not ordinal.
bool is_counted(std::string_view text, std::size_t begin, const WordBefore& number,
                const Abbreviations& abbreviations) {
  std::size_t end = number.begin;
  const Character space = character_before(text, end);
  end -= is_space(space.value) ? space.size : 0;
  if (end <= begin || text[end - 1] != '.') return false;
  return abbreviations.find(word_before(text, begin, end - 1).text) == Abbreviation::before_number;
}

/// Decides after a number and a period.
bool ends_with_number(std::string_view text, std::size_t begin, const WordBefore& number,
                      const Following& next, const Abbreviations& abbreviations) {
  constexpr std::size_t kMostDigits = 3, kMostDigitsOfDate = 2;  // of ordinal numbers; of days and months
  const Character before = character_before(text, number.begin);
  if (number.begin > 0 && is_space(before.value)) {
    const Character earlier = character_before(text, number.begin - before.size);
    if (earlier.value == ':' && number.digits <= kMostDigitsOfDate) return false;  // a list begins
  } else if (number.begin > 0 && is_punctuation(before.value) && !is_opening(before.value)) {
    return true;  // 2:1, 5,5
  }
  if (!abbreviations.has_ordinals() || number.digits > kMostDigits) return true;
  if (is_counted(text, begin, number, abbreviations)) return true;
  if (is_digit(next.first)) return number.digits > kMostDigitsOfDate;
  return next.begins_sentences(abbreviations);
}

/// Decides after a letter and a period.
bool ends_with_letter(UChar32 letter, const Following& next, const Abbreviations& abbreviations) {
  constexpr UChar32 kAscii = 0x80;
  if (is_east_asian(letter) || letter == U'я') return true;
  if (is_lower(letter) && is_latin(letter) && letter >= kAscii)
    return true;  // letters that are words, such as è and ạ
  return next.begins_sentences(abbreviations) && !next.is_name_particle();
}

/// Decides after a single period.
bool ends_with_period(const Line& line, std::size_t begin, std::size_t period, const Following& next,
                      const Abbreviations& abbreviations) {
  const std::string_view text = line.text;
  const WordBefore word = word_before(text, begin, period);
  if (word.text.empty()) return true;
  if (is_first_word(text, begin, word.begin) && word.is_enumerator()) return false;
  const bool is_usual_beginning = next.begins_sentences(abbreviations);
  switch (abbreviation_of(text, begin, word, abbreviations, line.has_capitals)) {
    case Abbreviation::always:
      return false;
    case Abbreviation::usual:
      return is_usual_beginning;
    case Abbreviation::of_time:
      return (!next.is_number() || is_usual_beginning) && !abbreviations.follows_time(next.letters);
    case Abbreviation::before_number:
      if (next.is_number()) return false;
      break;
    case Abbreviation::before_digit:
      if (next.is_number() && !is_usual_beginning) return false;
      break;
    case Abbreviation::none:
      break;
  }
  if (word.is_number()) return ends_with_number(text, begin, word, next, abbreviations);
  if (word.is_single_letter()) return ends_with_letter(word.first, next, abbreviations);
  if (word.is_acronym()) return is_usual_beginning && !next.is_name_particle();
  if (word.is_roman() && abbreviations.has_ordinals()) return is_usual_beginning;
  return !is_complex(word.first);
}

/// Whether the marks belong to a name, such as Yahoo!.
bool is_name_with_mark(std::string_view text, std::size_t begin, const FinalMarks& marks,
                       const Abbreviations& abbreviations) {
  const std::size_t word = word_before(text, begin, marks.begin).begin;
  return abbreviations.find(text.substr(word, marks.end - word)) != Abbreviation::none;
}

}  // namespace

bool ends_sentence(const Line& line, std::size_t begin, const FinalMarks& marks,
                   const Abbreviations& abbreviations) {
  const std::string_view text = line.text;
  const Character before = character_before(text, marks.begin), after = character_at(text, marks.closed);
  if (is_opening_bracket(before.value)) return false;  // (!) and [...]
  if (!marks.needs_space) return ends_without_space(text, marks);
  if (!after.is_there() || !is_space(after.value)) return false;
  const Following next = following(text, skip_spaces(text, marks.closed));
  const bool is_capital =
      !is_lower(next.first) || (next.has_apostrophe && next.begins_sentences(abbreviations));
  const bool goes_on = !is_capital && (line.has_capitals || marks.has_closing());
  const bool begins_with_word = is_letter(next.first) && !goes_on;
  const bool begins_with_number = (is_digit(next.first) && !next.has_dash) || is_symbol(next.first);
  if (!begins_with_word && !begins_with_number) return false;
  if (marks.has_closing() && goes_on_in_korean(text.substr(skip_spaces(text, marks.closed)))) return false;
  switch (marks.kind) {
    case FinalMarks::Kind::ellipsis:
      return begins_with_word;
    case FinalMarks::Kind::full_stop:
      return !is_name_with_mark(text, begin, marks, abbreviations) || next.begins_sentences(abbreviations);
    case FinalMarks::Kind::period:
      return ends_with_period(line, begin, marks.begin, next, abbreviations);
  }
  return false;
}

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
