// The tokenizers of BLEU, which are those of sacrebleu, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

/// Returns a line of UTF-8 with white space between its tokens. Tokens contain no white space.
std::string tokenize_13a(std::string_view line);

/// Does the second half of tokenize_13a(), after entities are decoded: separates ASCII punctuation, full
/// stops and commas except within numbers, and dashes only after digits.
std::string space_western(std::string_view line);

/// Returns a line of UTF-8 with white space between its tokens: separates symbols, and punctuation except
/// within numbers, both as defined by Unicode.
std::string tokenize_intl(std::string_view line);

/// Returns a line of UTF-8 with white space between its tokens: every Chinese character is a token, the rest
/// is split as by tokenizer 13a.
std::string tokenize_zh(std::string_view line);

/// Returns a line of UTF-8 with white space between its tokens.
using Tokenizer = std::string (*)(std::string_view line);

/// Returns the names that find_tokenizer() accepts.
std::vector<std::string> tokenizer_names();

/// Returns the tokenizer of this name. Throws UsageError for an unknown name.
Tokenizer find_tokenizer(std::string_view name);

}  // namespace nmt
