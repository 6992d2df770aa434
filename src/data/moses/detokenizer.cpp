#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "data/moses/scripts.h"
#include "data/moses/traced_text.h"

namespace nmt {
namespace {

/// Whether a character is Chinese, Japanese or Korean, by the ranges that Moses knows.
bool is_cjk(char32_t character) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 8> kRanges = {{{0x1100, 0x11FF},
                                                                            {0x2E80, 0xA4CF},
                                                                            {0xA840, 0xA87F},
                                                                            {0xAC00, 0xD7AF},
                                                                            {0xF900, 0xFAFF},
                                                                            {0xFE30, 0xFE4F},
                                                                            {0xFF65, 0xFFDC},
                                                                            {0x20000, 0x2FFFF}}};
  return std::ranges::any_of(
      kRanges, [&](const auto& range) { return character >= range.first && character <= range.second; });
}

bool is_all_of(const TracedText& word, std::u32string_view set) {
  return !word.empty() && std::ranges::all_of(word, [&](const TracedCharacter& each) {
    return set.find(each.value) != set.npos;
  });
}

char32_t lower_of(char32_t character) {
  return static_cast<char32_t>(u_tolower(static_cast<UChar32>(character)));
}

/// Case endings that Finnish writes after a colon: EU:ssa.
bool is_finnish_ending(std::string_view word) {
  static constexpr std::array<std::string_view, 51> kEndings = {
      "N",   "n",   "A",   "a",   "Ä",   "ä",   "ssa", "Ssa", "ssä",  "Ssä",  "sta", "stä", "Sta",
      "Stä", "hun", "Hun", "hyn", "Hyn", "han", "Han", "hän", "Hän",  "hön",  "Hön", "un",  "Un",
      "yn",  "Yn",  "an",  "An",  "än",  "Än",  "ön",  "Ön",  "seen", "Seen", "lla", "Lla", "llä",
      "Llä", "lta", "Lta", "ltä", "Ltä", "lle", "Lle", "ksi", "Ksi",  "kse",  "Kse", "tta"};
  static constexpr std::array<std::string_view, 3> kMoreEndings = {"Tta", "ine", "Ine"};
  static constexpr std::array<std::string_view, 6> kPossessives = {"", "ni", "si", "mme", "nne", "nsa"};
  static constexpr std::array<std::string_view, 10> kParticles = {"",   "ko", "kö",   "han",  "hän",
                                                                  "pa", "pä", "kaan", "kään", "kin"};
  const auto has_rest = [](std::string_view rest) {
    return std::ranges::any_of(kPossessives, [&](std::string_view possessive) {
      return rest.starts_with(possessive) &&
             std::ranges::find(kParticles, rest.substr(possessive.size())) != kParticles.end();
    });
  };
  const auto fits = [&](std::string_view ending) {
    return word.starts_with(ending) && has_rest(word.substr(ending.size()));
  };
  return std::ranges::any_of(kEndings, fits) || std::ranges::any_of(kMoreEndings, fits);
}

/// Tokens that are written together because "@-@" stands between them.
struct JoinedWord {
  TracedText characters;
  std::vector<std::string> tokens;  // as they are written

  void add(std::string token) {
    const TracedText more = traced(token);
    characters.insert(characters.end(), more.begin(), more.end());
    tokens.push_back(std::move(token));
  }
  bool is(std::string_view text) const { return utf8_of(characters) == text; }
  char32_t first() const { return characters.front().value; }
  char32_t last() const { return characters.back().value; }
  void make_lower() {
    for (TracedCharacter& each : characters) each.value = lower_of(each.value);
    for (std::string& token : tokens) {
      TracedText text = traced(token);
      for (TracedCharacter& each : text) each.value = lower_of(each.value);
      token = utf8_of(text);
    }
  }
};

std::vector<JoinedWord> joined_words(const std::vector<std::string>& tokens) {
  std::vector<JoinedWord> words;
  bool joins = false;  // whether the next token belongs to the last word
  for (const std::string& token : tokens) {
    const bool is_hyphen = token == "@-@" && !joins;
    if (words.empty() || !(joins || is_hyphen)) words.emplace_back();
    words.back().add(is_hyphen ? "-" : without_escapes(token));
    joins = is_hyphen;
  }
  return words;
}

/// Determines before which words there is a space.
class Placing {
 public:
  Placing(std::vector<JoinedWord> words, const std::string& language)
      : words_(std::move(words)), language_(language) {}

  std::vector<PlacedToken> placed() {
    while (next_ < words_.size()) place(next_);
    if (!placed_.empty()) placed_[0].space_before = false;
    return std::move(placed_);
  }

 private:
  /// Applies the first of Moses' rules that matches.
  void place(std::size_t i) {
    const TracedText& word = words_[i].characters;
    if (is_cjk(words_[i].first())) {
      add(!(i > 0 && is_cjk(words_[i - 1].last())) && may_have_space_, true);
    } else if (opens(word) || is_elided(i)) {
      add(may_have_space_, false);
    } else if (is_all_of(word, U",.?!:;\\%}])")) {
      add(is_spaced_mark(word), true);
    } else if (is_english_contraction(i) || is_czech_decimal(i)) {
      add(false, true);
    } else if (is_before_czech_dash(i)) {
      add(may_have_space_, false);
      add(false, false);
    } else if (is_all_of(word, U"'\"\u201E\u201C`")) {
      place_quotation(i);
    } else if (is_finnish_case(i)) {
      words_[i].make_lower();
      add(false, true);
    } else {
      add(may_have_space_, true);
    }
  }

  /// Places the next word. `after`: whether a space may precede the following word.
  void add(bool space_before, bool after) {
    for (std::string& token : words_[next_].tokens)
      placed_.push_back({std::move(token), std::exchange(space_before, false)});
    may_have_space_ = after;
    ++next_;
  }

  static bool opens(const TracedText& word) {
    return std::ranges::all_of(word, [](const TracedCharacter& each) {
      return is_currency(each.value) ||
             std::u32string_view(U"([{\u00BF\u00A1").find(each.value) != std::u32string_view::npos;
    });
  }
  /// French has a space before ? ! : ; %.
  bool is_spaced_mark(const TracedText& word) const {
    return language_ == "fr" && word.size() == 1 && is_all_of(word, U"?!:;\\%");
  }
  bool is_english_contraction(std::size_t i) const {
    const TracedText& word = words_[i].characters;
    return language_ == "en" && i > 0 && word.size() > 1 && word[0] == U'\'' &&
           is_alphabetic(word[1].value) && is_alphanumeric(words_[i - 1].last());
  }
  bool is_czech_decimal(std::size_t i) const {
    return language_ == "cs" && i > 1 && is_number_word(i - 2) && is_number_word(i) &&
           (words_[i - 1].is(".") || words_[i - 1].is(","));
  }
  bool is_number_word(std::size_t i) const { return is_all_of(words_[i].characters, U"0123456789"); }
  /// French and Italian: l' homme.
  bool is_elided(std::size_t i) const {
    const TracedText& word = words_[i].characters;
    return (language_ == "fr" || language_ == "it") && i + 1 < words_.size() && word.size() > 1 &&
           word.back() == U'\'' && is_alphabetic(word[word.size() - 2].value) &&
           is_alphabetic(words_[i + 1].first());
  }
  /// Czech: a dash before "li" or "mail". Moses asks for a word after that.
  bool is_before_czech_dash(std::size_t i) const {
    if (language_ != "cs" || i + 3 >= words_.size() || !is_alphabetic(words_[i].last())) return false;
    if (!words_[i + 1].is("-") && !words_[i + 1].is("\u2013")) return false;
    JoinedWord next = words_[i + 2];
    next.make_lower();
    return next.is("li") || utf8_of(next.characters).starts_with("mail");
  }
  bool is_finnish_case(std::size_t i) const {
    return language_ == "fi" && i > 0 && words_[i - 1].last() == U':' &&
           is_finnish_ending(utf8_of(words_[i].characters));
  }

  void place_quotation(std::size_t i) {
    const JoinedWord& word = words_[i];
    const bool is_double = is_all_of(word.characters, U"\u201E\u201C\u201D");
    int& count = quotations_[is_double ? "\"" : utf8_of(word.characters)];
    if (language_ == "cs" && word.is("\u201E")) count = 0;
    if (language_ == "cs" && word.is("\u201C")) count = 1;
    const bool is_opening = count % 2 == 0;
    // The Jones' house
    const bool is_possessive =
        is_opening && language_ == "en" && word.is("'") && i > 0 && words_[i - 1].last() == U's';
    if (!is_possessive) ++count;
    if (is_opening && !is_possessive) {
      add(may_have_space_, false);
    } else {
      add(false, true);
    }
  }

  std::vector<JoinedWord> words_;
  const std::string& language_;
  std::size_t next_ = 0;
  std::vector<PlacedToken> placed_;
  std::map<std::string, int> quotations_;
  bool may_have_space_ = true;
};

}  // namespace

std::vector<PlacedToken> moses_placed(const std::vector<std::string>& tokens, const std::string& language) {
  return Placing(joined_words(tokens), language).placed();
}

}  // namespace nmt
