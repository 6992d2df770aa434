#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <utility>

#include "data/moses/scripts.h"

namespace nmt {
namespace {

using Replacement = std::pair<std::u32string_view, std::u32string_view>;

template <std::size_t Count>
TracedText with_all(TracedText text, const std::array<Replacement, Count>& replacements) {
  for (const auto& [from, to] : replacements) text = replaced(text, from, to);
  return text;
}

/// Leaves one space of several in a row; unlike with_single_spaces(), it keeps one at each end.
TracedText squeezed(TracedText text) {
  const auto end = std::unique(text.begin(), text.end(),
                               [](const auto& a, const auto& b) { return a == U' ' && b == U' '; });
  text.erase(end, text.end());
  return text;
}

bool is_among(char32_t character, std::u32string_view set) {
  return set.find(character) != set.npos;
}

/// Whether a character is a digit of any script.
bool is_decimal(char32_t character) {
  return u_charType(static_cast<UChar32>(character)) == U_DECIMAL_DIGIT_NUMBER;
}

bool is_ascii_letter(char32_t character) {
  return (character >= U'a' && character <= U'z') || (character >= U'A' && character <= U'Z');
}

/// Removes the space between a closing bracket and a punctuation mark.
TracedText with_closed_brackets(const TracedText& text) {
  return rewritten(text, [](TracedView rest, TracedText& result) -> std::size_t {
    if (rest.size() < 3 || rest[0] != U')' || rest[1] != U' ' || !is_among(rest[2].value, U".!:?;,"))
      return 0;
    result.push_back(rest[0]);
    result.push_back(rest[2]);
    return 3;
  });
}

/// Removes the space between a digit and a percent sign.
TracedText with_closed_percent(const TracedText& text) {
  return rewritten(text, [](TracedView rest, TracedText& result) -> std::size_t {
    if (rest.size() < 3 || !is_decimal(rest[0].value) || rest[1] != U' ' || rest[2] != U'%') return 0;
    result.push_back(rest[0]);
    result.push_back(rest[2]);
    return 3;
  });
}

/// Makes a single quotation mark within a word an apostrophe.
TracedText with_apostrophes(const TracedText& text, char32_t quotation) {
  return rewritten(text, [quotation](TracedView rest, TracedText& result) -> std::size_t {
    if (rest.size() < 3 || !is_ascii_letter(rest[0].value) || rest[1] != quotation ||
        !is_ascii_letter(rest[2].value))
      return 0;
    result.push_back(rest[0]);
    result.push_back({U'\'', rest[1].place});
    result.push_back(rest[2]);
    return 3;
  });
}

/// English: moves commas and periods before a closing quotation mark.
TracedText with_inner_punctuation(const TracedText& text) {
  return rewritten(text, [](TracedView rest, TracedText& result) -> std::size_t {
    if (rest[0] != U'"') return 0;
    std::size_t end = 1;
    while (end < rest.size() && (rest[end] == U',' || rest[end] == U'.')) ++end;
    if (end == 1) return 0;
    result.insert(result.end(), rest.begin() + 1, rest.begin() + static_cast<std::ptrdiff_t>(end));
    result.push_back(rest[0]);
    return end;
  });
}

/// Most languages: moves commas and periods after a closing quotation mark. Periods before `"<` stay, and in
/// sacremoses those before a quotation mark at the end of the text.
TracedText with_outer_punctuation(const TracedText& text, PunctuationProgram program) {
  return rewritten(replaced(text, U",\"", U"\","), [=](TracedView rest, TracedText& result) -> std::size_t {
    std::size_t periods = 0;
    while (periods < rest.size() && rest[periods] == U'.') ++periods;
    if (periods == 0 || periods == rest.size() || rest[periods] != U'"') return 0;
    // The character after the following spaces is only inspected, so it can begin another match.
    std::size_t end = periods + 1;
    if (end < rest.size() ? rest[end] == U'<' : program == PunctuationProgram::sacremoses) return 0;
    while (end < rest.size() && rest[end] == U' ') ++end;
    if (end < rest.size() && rest[end] != U'<') ++end;
    const auto at = [&](std::size_t i) { return rest.begin() + static_cast<std::ptrdiff_t>(i); };
    result.push_back(rest[periods]);
    result.insert(result.end(), at(0), at(periods));
    result.insert(result.end(), at(periods + 1), at(end));
    return end;
  });
}

/// Replaces a non-breaking space between digits by a separator.
TracedText with_separators(const TracedText& text, char32_t separator) {
  return rewritten(text, [separator](TracedView rest, TracedText& result) -> std::size_t {
    if (rest.size() < 3 || !is_decimal(rest[0].value) || rest[1] != U'\u00A0' || !is_decimal(rest[2].value))
      return 0;
    result.push_back(rest[0]);
    result.push_back({separator, rest[0].place});
    result.push_back(rest[2]);
    return 3;
  });
}

TracedText with_normal_spaces(TracedText text) {
  text = replaced(text, U"\r", U"");
  text = squeezed(replaced(replaced(text, U"(", U" ("), U")", U") "));
  text = with_closed_brackets(text);
  text = with_all(std::move(text), std::array<Replacement, 2>{{{U"( ", U"("}, {U" )", U")"}}});
  text = with_closed_percent(text);
  return with_all(std::move(text), std::array<Replacement, 2>{{{U" :", U":"}, {U" ;", U";"}}});
}

TracedText with_normal_quotes(TracedText text, PunctuationProgram program) {
  static constexpr std::array<Replacement, 7> kFirst = {{{U"`", U"'"},
                                                         {U"''", U" \" "},
                                                         {U"\u201E", U"\""},
                                                         {U"\u201C", U"\""},
                                                         {U"\u201D", U"\""},
                                                         {U"\u2013", U"-"},
                                                         {U"\u2014", U" - "}}};
  text = replaced(squeezed(with_all(std::move(text), kFirst)), U"\u00B4", U"'");
  for (const char32_t quotation : {U'\u2018', U'\u2019'}) text = with_apostrophes(text, quotation);
  const bool is_moses = program == PunctuationProgram::moses;
  const std::array<Replacement, 11> rest = {{{U"\u2018", U"'"},
                                             {U"\u201A", U"'"},
                                             {U"\u2019", is_moses ? U"\"" : U"'"},
                                             {U"''", U"\""},
                                             {U"\u2026", U"..."},
                                             {U"\u00A0\u00AB\u00A0", is_moses ? U" \"" : U"\""},
                                             {U"\u00AB\u00A0", U"\""},
                                             {U"\u00AB", U"\""},
                                             {U"\u00A0\u00BB\u00A0", is_moses ? U"\" " : U"\""},
                                             {U"\u00A0\u00BB", U"\""},
                                             {U"\u00BB", U"\""}}};
  return with_all(std::move(text), rest);
}

TracedText with_breaking_spaces(TracedText text) {
  static constexpr std::array<Replacement, 9> kSpaces = {{{U"\u00A0%", U"%"},
                                                          {U"n\u00BA\u00A0", U"n\u00BA "},
                                                          {U"\u00A0:", U":"},
                                                          {U"\u00A0\u00BAC", U" \u00BAC"},
                                                          {U"\u00A0cm", U" cm"},
                                                          {U"\u00A0?", U"?"},
                                                          {U"\u00A0!", U"!"},
                                                          {U"\u00A0;", U";"},
                                                          {U",\u00A0", U", "}}};
  return squeezed(with_all(std::move(text), kSpaces));
}

}  // namespace

TracedText with_normal_punctuation(TracedText text, const std::string& language, PunctuationProgram program) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> languages) {
    return std::ranges::find(languages, language) != languages.end();
  };
  text = with_breaking_spaces(with_normal_quotes(with_normal_spaces(std::move(text)), program));
  const bool moves_outside =
      program == PunctuationProgram::moses ? !is_one_of({"cs", "cz"}) : is_one_of({"de", "es", "fr"});
  if (language == "en") {
    text = with_inner_punctuation(text);
  } else if (moves_outside) {
    text = with_outer_punctuation(text, program);
  }
  return with_separators(text, is_one_of({"de", "es", "cz", "cs", "fr"}) ? U',' : U'.');
}

}  // namespace nmt
