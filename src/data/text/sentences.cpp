#include "data/text/sentences.h"

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "data/sentences/abbreviations.h"
#include "data/sentences/characters.h"
#include "data/sentences/sentence_end.h"
#include "data/vocabulary/languages.h"

namespace nmt {
namespace {

using sentences::Abbreviations;
using sentences::Character;

/// Returns the language of a code, with two letters if it has such a code: "de" for "deu_Latn" and "de-AT".
std::string language_of(const std::string& code) {
  const std::string language = LanguageCode(code).language;
  return language == "und" ? "" : language;  // what ICU makes of an unknown language
}

/// Returns the abbreviations of a language, which all splitters share.
std::shared_ptr<const Abbreviations> shared_abbreviations(const std::string& language) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Abbreviations>> known;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const Abbreviations>& place = known[language];
  if (!place) place = std::make_shared<const Abbreviations>(language);
  return place;
}

/// Returns a text without white space at its ends.
std::string_view without_white_space(std::string_view text) {
  for (Character c = sentences::character_at(text, 0); c.is_there() && sentences::is_space(c.value);
       c = sentences::character_at(text, 0))
    text.remove_prefix(c.size);
  for (Character c = sentences::character_before(text, text.size());
       c.is_there() && sentences::is_space(c.value); c = sentences::character_before(text, text.size()))
    text.remove_suffix(c.size);
  return text;
}

/// Returns the first line of a text, with its line end.
sentences::Line line_at_begin(std::string_view text) {
  bool has_capitals = false, is_whole = false;
  std::size_t end = 0;
  while (end < text.size() && !is_whole) {
    const Character c = sentences::character_at(text, end);
    end += c.size;
    has_capitals |= sentences::is_upper(c.value);
    is_whole = sentences::ends_line(c.value);
  }
  return {text.substr(0, end), has_capitals};
}

/// Appends the sentences of a line.
void split(const sentences::Line& line, const Abbreviations& abbreviations,
           std::vector<std::string_view>& found) {
  const std::string_view text = line.text;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end) {
    const std::string_view sentence = without_white_space(text.substr(begin, end - begin));
    if (!sentence.empty()) found.push_back(sentence);
    begin = end;
  };
  bool has_open_quote = false, has_words = false;  // in the line; in the sentence
  for (std::size_t place = 0; place < text.size();) {
    if (!sentences::is_final_mark(text, place)) {
      const Character c = sentences::character_at(text, place);
      has_words |= sentences::is_letter(c.value) || sentences::is_digit(c.value);
      has_open_quote ^= c.value == '"';
      place += c.size;
      continue;
    }
    const sentences::FinalMarks marks = sentences::final_marks_at(text, place, has_open_quote);
    const bool is_end = has_words && sentences::ends_sentence(line, begin, marks, abbreviations);
    has_open_quote ^= std::ranges::count(text.substr(place, marks.closed - place), '"') % 2 != 0;
    place = marks.closed;
    if (!is_end) continue;
    cut(place);
    has_words = false;
  }
  cut(text.size());
}

/// Whether a character belongs to a script without spaces between words.
bool stands_without_blanks(UChar32 character) {
  switch (u_getIntPropertyValue(character, UCHAR_EAST_ASIAN_WIDTH)) {
    case U_EA_FULLWIDTH:
    case U_EA_WIDE:
      return u_getIntPropertyValue(character, UCHAR_SCRIPT) != USCRIPT_HANGUL;
    default:
      return u_getIntPropertyValue(character, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT;
  }
}

}  // namespace

bool is_language_code(const std::string& code) {
  const icu::Locale locale = icu::Locale::createCanonical(code.c_str());
  const bool has_script = std::string_view(locale.getLanguage()).size() == 3 && *locale.getScript() != 0;
  return *locale.getISO3Language() != 0 || has_script;  // ICU does not know all of ISO 639-3
}

SentenceSplitter::SentenceSplitter(const std::string& language, const std::string& abbreviations)
    : abbreviations_(shared_abbreviations(language_of(language))) {
  if (abbreviations.empty()) return;
  Abbreviations more = *abbreviations_;
  more.add_file(abbreviations);
  abbreviations_ = std::make_shared<const Abbreviations>(std::move(more));
}

std::vector<std::string_view> SentenceSplitter::operator()(std::string_view text) const {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const sentences::Line line = line_at_begin(text);
    split(line, *abbreviations_, found);
    text.remove_prefix(line.text.size());
  }
  return found;
}

std::string_view usual_gap(std::string_view before, std::string_view after) {
  const Character last = sentences::character_before(before, before.size());
  const Character first = sentences::character_at(after, 0);
  const bool has_blanks = last.is_there() && first.is_there() && !stands_without_blanks(last.value) &&
                          !stands_without_blanks(first.value);
  return has_blanks ? " " : "";
}

}  // namespace nmt
