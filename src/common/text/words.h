// Words as numbered by alignments and weights.
#pragma once

#include <string_view>
#include <vector>

namespace nmt {

/// Whether a byte of UTF-8 separates words. Only ASCII white space does (space, tab, \n,
/// \v, \f, \r); other Unicode white space, such as U+00A0 and U+3000, is part of a word, as in awk and word
/// aligners.
constexpr bool separates_words(char byte) {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/// Returns the words of a text, from word 0: the longest runs of bytes that do not separate words, as views
/// of `text`. This is the only definition of numbered words. It applies to the text as it is read or printed,
/// whatever a vocabulary makes of it.
std::vector<std::string_view> words_in(std::string_view text);

/// Returns the white space before each of these words, which are words_in(text), and after the last one.
std::vector<std::string_view> gaps_around(const std::vector<std::string_view>& words, std::string_view text);

}  // namespace nmt
