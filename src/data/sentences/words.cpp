#include "data/sentences/words.h"

#include <algorithm>
#include <string>
#include <vector>

#include "data/sentences/characters.h"

namespace nmt::sentences {
namespace {

// Limits, so that each period takes constant time.
constexpr std::size_t kLongestWord = 48;   // bytes
constexpr std::size_t kLongestPart = 12;   // bytes of a word of an abbreviation with several words
constexpr std::size_t kMostParts = 4;      // "i. d. R." has three
constexpr std::size_t kMostSpaces = 4;     // bytes between them
constexpr std::size_t kMostOpenings = 64;  // bytes before the next word

bool begins_word(UChar32 character) {
  return is_letter(character) || is_digit(character) || character == U'§' || character == U'№';
}

bool is_in_word(UChar32 character) {
  return begins_word(character) || is_mark(character) || is_dash(character) || is_apostrophe(character) ||
         character == '.' || character == '/' || character == U'·' || character == U'ª' || character == U'º';
}

std::size_t begin_of_word(std::string_view text, std::size_t begin, std::size_t end) {
  std::size_t place = end;
  while (place > begin && end - place < kLongestWord) {
    const Character c = character_before(text, place);
    if (!is_in_word(c.value)) break;
    place -= c.size;
  }
  while (place < end && !begins_word(character_at(text, place).value))
    place += character_at(text, place).size;
  return place;
}

std::size_t skip_spaces_back(std::string_view text, std::size_t begin, std::size_t place) {
  const std::size_t end = place;
  for (Character c = character_before(text, place);
       place > begin && is_space(c.value) && end - place < kMostSpaces; c = character_before(text, place))
    place -= c.size;
  return place;
}

std::size_t length(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); i += character_at(text, i).size) ++count;
  return count;
}

}  // namespace

bool WordBefore::is_acronym() const {
  if (letters < 2 || digits > 0 || text.find('.') == std::string_view::npos) return false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find_first_of(".-"));
    if (length(part) > 2) return false;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return true;
}

bool WordBefore::is_roman() const {
  constexpr std::size_t kLongest = 7;
  return text.size() > 1 && text.size() <= kLongest &&
         text.find_first_not_of("IVXLCDM") == std::string_view::npos;
}

bool WordBefore::is_enumerator() const {
  constexpr std::size_t kLongest = 5, kMostDigits = 3;
  if (letters == 0) return digits > 0 && digits <= kMostDigits && text.find_first_of("-/'") == text.npos;
  if (letters == 1) return others == 0 && digits < kMostDigits && !is_east_asian(first);
  return text.size() <= kLongest && (text.find_first_not_of("IVX") == std::string_view::npos ||
                                     text.find_first_not_of("ivx") == std::string_view::npos);
}

WordBefore word_before(std::string_view text, std::size_t begin, std::size_t end) {
  WordBefore word;
  word.begin = begin_of_word(text, begin, end);
  word.text = text.substr(word.begin, end - word.begin);
  word.first = character_at(word.text, 0).value;
  for (std::size_t i = 0; i < word.text.size(); i += character_at(word.text, i).size) {
    const UChar32 c = character_at(word.text, i).value;
    if (is_mark(c)) continue;
    ++(is_letter(c) ? word.letters : is_digit(c) ? word.digits : word.others);
  }
  return word;
}

Abbreviation abbreviation_of(std::string_view text, std::size_t begin, const WordBefore& last,
                             const Abbreviations& abbreviations, bool has_capitals) {
  std::vector<std::string> found = {std::string(last.text)};
  for (std::size_t place = last.begin; found.size() < kMostParts;) {
    std::size_t end = skip_spaces_back(text, begin, place);
    if (end == place || end <= begin) break;
    const bool has_period = text[end - 1] == '.';
    if (has_period) --end;
    place = begin_of_word(text, begin, end);
    if (place == end || end - place > kLongestPart) break;
    found.push_back(std::string(text.substr(place, end - place)) + '.' + found.back());
    if (!has_period) break;  // like "и" in "и т. д."
  }
  for (std::size_t i = found.size(); i-- > 0;) {
    if (const auto kind = abbreviations.find(found[i], has_capitals); kind != Abbreviation::none) return kind;
  }
  const std::size_t part = last.text.find_last_of("-/'");  // "Univ.-Prof."
  const std::string_view rest = part == std::string_view::npos ? "" : last.text.substr(part + 1);
  return length(rest) > 1 ? abbreviations.find(rest, has_capitals) : Abbreviation::none;
}

bool Following::is_number() const {
  const bool is_roman = !letters.empty() && letters.find_first_not_of("IVXLCDM") == std::string_view::npos;
  return is_digit(first) || is_symbol(first) || is_roman;
}

bool Following::begins_sentences(const Abbreviations& abbreviations) const {
  if (is_abbreviated || letters.empty()) return false;
  if (abbreviations.begins_sentences(letters)) return true;
  if (has_apostrophe && abbreviations.begins_sentences('\'' + std::string(letters))) return true;
  return word != letters && abbreviations.begins_sentences(std::string(letters) + '\'');
}

bool Following::is_name_particle() const {
  constexpr std::string_view kParticles[] = {"La", "Le", "Les", "Los", "Las", "El",  "De", "Del", "Della",
                                             "Di", "Da", "Dos", "Du",  "Des", "Von", "Al", "San", "Santa"};
  return std::ranges::find(kParticles, letters) != std::end(kParticles);
}

Following following(std::string_view text, std::size_t place) {
  Following next;
  const std::size_t begin = place;
  Character c = character_at(text, place);
  bool follows_apostrophe = false;
  while (c.is_there() && is_opening(c.value) && place - begin < kMostOpenings) {
    follows_apostrophe = is_apostrophe(c.value);
    next.has_dash |= is_dash(c.value);
    place = skip_spaces(text, place + c.size);
    c = character_at(text, place);
  }
  if (!c.is_there()) return next;
  next.first = c.value;
  std::size_t end = place;
  for (; c.is_there() && (is_letter(c.value) || is_mark(c.value)) && end - place < kLongestWord;
       c = character_at(text, end))
    end += c.size;
  next.letters = text.substr(place, end - place);
  next.word = text.substr(place, end - place + (is_apostrophe(c.value) ? c.size : 0));
  next.is_abbreviated = c.value == '.' && length(next.letters) == 1;
  next.has_apostrophe = follows_apostrophe && is_upper(character_at(text, skip_spaces(text, end)).value);
  return next;
}

}  // namespace nmt::sentences
