#include "data/sentences/abbreviations.h"

#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "common/error.h"
#include "common/io/text_reader.h"

namespace nmt::sentences {
namespace {

/// Languages whose openings count if the language of a text is unknown. The openings of others are names
/// elsewhere, such as Ben (Turkish "I") and Ali (Croatian "but").
constexpr std::string_view kCommonLanguages = "en de fr es it pt ru uk";

std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t space = std::min(list.find(' '), list.size());
    if (space > 0) words.push_back(list.substr(0, space));
    list.remove_prefix(std::min(space + 1, list.size()));
  }
  return words;
}

bool has_word(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = words_of(list);
  return std::ranges::find(words, word) != words.end();
}

bool is_lower_case(std::string_view word) {
  const icu::UnicodeString text = icu::UnicodeString::fromUTF8({word.data(), static_cast<int>(word.size())});
  return icu::UnicodeString(text).toLower() == text;
}

/// Returns the word in lower case, except that `keeps_first` keeps its first letter.
std::string in_lower_case(std::string_view word, bool keeps_first) {
  const icu::UnicodeString text = icu::UnicodeString::fromUTF8({word.data(), static_cast<int>(word.size())});
  const std::int32_t first = keeps_first ? text.moveIndex32(0, 1) : 0;
  icu::UnicodeString rest(text, first);
  std::string lowered;
  (icu::UnicodeString(text, 0, first) + rest.toLower()).toUTF8String(lowered);
  return lowered;
}

std::string capitalized(std::string_view word) {
  const icu::UnicodeString text = icu::UnicodeString::fromUTF8({word.data(), static_cast<int>(word.size())});
  const std::int32_t first = text.moveIndex32(0, 1);
  std::string with_capital;
  (icu::UnicodeString(text, 0, first).toUpper() + icu::UnicodeString(text, first)).toUTF8String(with_capital);
  return with_capital;
}

std::string without_spaces(std::string_view text) {
  std::string packed(text);
  std::erase_if(packed, [](char c) { return c == ' ' || c == '\t'; });
  return packed;
}

}  // namespace

Abbreviations::Abbreviations(std::string_view language) {
  for (const auto languages :
       {germanic_languages(), romance_languages(), slavic_languages(), other_languages()}) {
    for (const LanguageRules& rules : languages) {
      if (language.empty() || has_word(rules.codes, language)) add(rules, language.empty());
    }
  }
  add(kCommonRules, false);
}

void Abbreviations::add(const LanguageRules& rules, bool is_one_of_many) {
  has_ordinals_ |= rules.has_ordinals;
  add(rules.always, Abbreviation::always, is_one_of_many);
  add(rules.usual, Abbreviation::usual, is_one_of_many);
  add(rules.before_number, Abbreviation::before_number, is_one_of_many);
  add(rules.before_digit, Abbreviation::before_digit, is_one_of_many);
  add(rules.of_time, Abbreviation::of_time, is_one_of_many);
  for (const std::string_view word : words_of(rules.after_times)) after_times_.emplace(word);
  for (const std::string_view word : words_of(rules.endings)) endings_.emplace_back(word);
  if (is_one_of_many && !has_word(kCommonLanguages, words_of(rules.codes).front())) return;
  for (const std::string_view word : words_of(rules.openings)) openings_.emplace(word);
}

void Abbreviations::add(std::string_view words, Abbreviation kind, bool is_one_of_many) {
  for (const std::string_view word : words_of(words)) {
    // An abbreviation of one language may be a word of another one.
    const bool may_be_word = is_one_of_many && kind == Abbreviation::always &&
                             word.find('.') == std::string_view::npos && is_lower_case(word);
    const Abbreviation here = may_be_word ? Abbreviation::usual : kind;
    const auto [place, is_new] = kinds_.emplace(word, here);
    if (!is_new) place->second = std::max(place->second, here);
  }
}

void Abbreviations::add_file(const std::string& path) {
  constexpr std::string_view kNumericOnly = "#NUMERIC_ONLY#";
  TextReader reader(path, CarriageReturn::drop);
  for (std::string line; reader.next(line);) {
    const bool is_numeric = line.find(kNumericOnly) != std::string::npos;
    std::string word = without_spaces(std::string_view(line).substr(0, line.find('#')));
    if (word.ends_with('.')) word.pop_back();
    if (word.empty() && is_numeric)
      throw UsageError("'{}', line {}: no abbreviation before {}", path, reader.line_number(), kNumericOnly);
    if (word.empty()) continue;
    kinds_[word] = is_numeric ? Abbreviation::before_number : Abbreviation::always;
  }
}

Abbreviation Abbreviations::find(std::string_view word, bool has_capitals) const {
  auto place = kinds_.find(word);
  if (place == kinds_.end() && !word.empty() && !is_lower_case(word)) {
    place = kinds_.find(in_lower_case(word, true));
    if (place == kinds_.end()) place = kinds_.find(in_lower_case(word, false));
  }
  if (place == kinds_.end() && !has_capitals) place = kinds_.find(capitalized(word));
  if (place != kinds_.end()) return place->second;
  const auto ends = [word](const std::string& ending) { return word.ends_with(ending); };
  return std::ranges::any_of(endings_, ends) ? Abbreviation::usual : Abbreviation::none;
}

}  // namespace nmt::sentences
