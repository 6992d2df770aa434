// Words, as alignments and weights number them.
#pragma once

#include <string_view>
#include <vector>

namespace nmt {

/// Whether a byte of UTF-8 separates words: ASCII white space (space, tab, \n, \v, \f, \r) does. Other white
/// space of Unicode, such as U+00A0 and U+3000, is part of a word, as it is for awk and word aligners.
constexpr bool separates_words(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/// The words of a text, from word 0 on: the longest runs of bytes that do not separate words, as parts of
/// `text`. This is the only definition of a word that has a number. It looks at the text as it is read or
/// printed, whatever a vocabulary makes of it.
std::vector<std::string_view> words_in(std::string_view text);

/// The white space before each of these words, which are words_in(text), and after the last one.
std::vector<std::string_view> gaps_around(const std::vector<std::string_view>& words, std::string_view text);

}  // namespace nmt
