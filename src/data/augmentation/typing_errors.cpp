#include "data/augmentation/typing_errors.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/moses/traced_text.h"

namespace nmt {
namespace {

constexpr double kFurtherErrors = 0.1;  // share of the other words

/// The letters of a keyboard; each row lies half a key to the right of the one above. A space stands for a
/// key without a letter.
using Keyboard = std::array<std::u32string_view, 3>;
// QWERTY stands for all Latin layouts, as they differ in few keys.
constexpr auto kKeyboards = std::to_array<Keyboard>({
    {U"qwertyuiop", U"asdfghjkl", U"zxcvbnm"},
    {U"йцукенгшщзхъ", U"фывапролджэ", U"ячсмитьбю"},
    {U" ςερτυθιοπ", U"ασδφγηξκλ", U"ζχψωβνμ"},
    {U"  קראטוןםפ", U"שדגכעיחלךף", U"זסבהנמצתץ"},
    {U"ضصثقفغعهخحجد", U"شسيبلاتنمكط", U"ئءؤر ىةوزظ"},
});

/// Returns the letters next to one on its keyboard; none for a letter on no keyboard.
std::u32string neighbors_on(const Keyboard& keyboard, char32_t letter) {
  std::u32string neighbors;
  for (std::size_t row = 0; row < keyboard.size(); ++row) {
    const std::size_t place = keyboard[row].find(letter);
    if (place == std::u32string_view::npos) continue;
    const auto add = [&](std::size_t of_row, std::size_t at) {
      if (of_row < keyboard.size() && at < keyboard[of_row].size() && keyboard[of_row][at] != U' ')
        neighbors += keyboard[of_row][at];
    };
    add(row, place - 1);  // numbers below 0 wrap around to ones that are too large
    add(row, place + 1);
    add(row - 1, place);
    add(row - 1, place + 1);
    add(row + 1, place - 1);
    add(row + 1, place);
  }
  return neighbors;
}

/// Returns the letters next to one on the keyboard, in its case.
std::u32string neighbors_of(char32_t letter) {
  const auto code = static_cast<UChar32>(letter);
  const auto small = static_cast<char32_t>(u_tolower(code));
  for (const Keyboard& keyboard : kKeyboards) {
    std::u32string neighbors = neighbors_on(keyboard, small);
    if (neighbors.empty()) continue;
    if (small != letter) {
      for (char32_t& each : neighbors) each = static_cast<char32_t>(u_toupper(static_cast<UChar32>(each)));
    }
    return neighbors;
  }
  return {};
}

enum class ErrorKind { swap, drop, repeat, single, replace, add, join, split };

/// An error at a character of a word, or after the word.
struct TypingError {
  ErrorKind kind;
  std::size_t place = 0;
};

/// Returns all errors that are possible for a word.
std::vector<TypingError> possible_errors(const TracedText& word, bool has_next) {
  std::vector<TypingError> errors;
  bool has_letters = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (!is_alphabetic(word[i].value)) continue;
    has_letters = true;
    const bool is_before_letter = i + 1 < word.size() && is_alphabetic(word[i + 1].value);
    if (word.size() > 1) errors.push_back({ErrorKind::drop, i});
    errors.push_back({ErrorKind::repeat, i});
    if (is_before_letter) {
      errors.push_back({word[i].value == word[i + 1].value ? ErrorKind::single : ErrorKind::swap, i});
      errors.push_back({ErrorKind::split, i + 1});
    }
    if (!neighbors_of(word[i].value).empty()) {
      errors.push_back({ErrorKind::replace, i});
      errors.push_back({ErrorKind::add, i});
    }
  }
  if (has_letters && has_next) errors.push_back({ErrorKind::join});
  return errors;
}

/// Returns an error of a word: first its kind, then its place.
TypingError drawn_error(const std::vector<TypingError>& possible, Draws& draws) {
  std::vector<ErrorKind> kinds;
  for (const TypingError& error : possible) {
    if (std::ranges::find(kinds, error.kind) == kinds.end()) kinds.push_back(error.kind);
  }
  const ErrorKind kind = kinds[static_cast<std::size_t>(draws.below(std::ssize(kinds)))];
  std::vector<TypingError> of_kind;
  std::ranges::copy_if(possible, std::back_inserter(of_kind),
                       [kind](const TypingError& error) { return error.kind == kind; });
  return of_kind[static_cast<std::size_t>(draws.below(std::ssize(of_kind)))];
}

/// Makes an error that stays within a word.
void mistype(TracedText& word, const TypingError& error, Draws& draws) {
  const auto at = word.begin() + static_cast<std::ptrdiff_t>(error.place);
  const auto neighbor = [&] {
    const std::u32string neighbors = neighbors_of(at->value);
    return neighbors[static_cast<std::size_t>(draws.below(std::ssize(neighbors)))];
  };
  switch (error.kind) {
    case ErrorKind::swap:
      std::iter_swap(at, std::next(at));
      break;
    case ErrorKind::drop:
    case ErrorKind::single:
      word.erase(at);
      break;
    case ErrorKind::repeat:
      word.insert(at, TracedCharacter(*at));
      break;
    case ErrorKind::replace:
      at->value = neighbor();
      break;
    case ErrorKind::add:
      word.insert(std::next(at), TracedCharacter{.value = neighbor()});
      break;
    case ErrorKind::join:
    case ErrorKind::split:
      break;
  }
}

void mistype_word(AlignedWords& pair, std::int64_t place, Draws& draws) {
  std::string& text = pair.source[static_cast<std::size_t>(place)];
  if (is_tag(text)) return;
  TracedText word = traced(text);
  const std::vector<TypingError> possible = possible_errors(word, place + 1 < std::ssize(pair.source));
  if (possible.empty()) return;
  const TypingError error = drawn_error(possible, draws);
  if (error.kind == ErrorKind::join) return pair.join_source(place);
  if (error.kind == ErrorKind::split) return pair.split_source(place, word[error.place].place);
  mistype(word, error, draws);
  text = utf8_of(word);
}

}  // namespace

void mistype(AlignedWords& pair, Draws& draws) {
  const std::int64_t count = std::ssize(pair.source);
  if (count == 0) return;
  const std::int64_t chosen = draws.below(count);
  for (std::int64_t place = count - 1; place >= 0;
       --place) {  // errors may change the numbers of words after it
    if (place == chosen || draws.chance(kFurtherErrors)) mistype_word(pair, place, draws);
  }
}

}  // namespace nmt
