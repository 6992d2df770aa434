// Puts spaces around characters for tokenizers.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Returns `text` with spaces around every character for which `holds` is true.
template <class Char, class Predicate>
std::basic_string<Char> space_each(std::basic_string_view<Char> text, Predicate holds) {
  std::basic_string<Char> spaced(3 * text.size(), ' ');
  Char* end = spaced.data();
  for (const Char c : text) {
    const bool apart = holds(c);
    if (apart) ++end;
    *end++ = c;
    if (apart) ++end;
  }
  spaced.resize(static_cast<std::size_t>(end - spaced.data()));
  return spaced;
}

enum class Apart { first, second };

/// If `first` is true for a character and `second` for the next one, puts spaces around the one to separate;
/// works from left to right, and a character belongs to at most one pair.
template <class Char, class First, class Second>
std::basic_string<Char> space_pairs(std::basic_string_view<Char> text, First first, Second second,
                                    Apart apart) {
  std::basic_string<Char> spaced(2 * text.size(), ' ');
  Char* end = spaced.data();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !second(text[i + 1]) || !first(text[i])) {
      *end++ = text[i];
      continue;
    }
    if (apart == Apart::first) ++end;
    *end++ = text[i];
    ++end;
    *end++ = text[++i];
    if (apart == Apart::second) ++end;
  }
  spaced.resize(static_cast<std::size_t>(end - spaced.data()));
  return spaced;
}

}  // namespace nmt
