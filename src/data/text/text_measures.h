// Properties of parallel text by which noise is told from translations. Texts are well-formed UTF-8.
#pragma once

#include <cstdint>
#include <string_view>

namespace nmt {

/// Returns the share of letters, with their accents, among the characters that are not white space, from 0 to
/// 1; 1 if there are none.
double letter_share(std::string_view text);

/// Returns the share of words that two texts have in common, from 0 to 1: their number, divided by the number
/// of words of the text that has more. Words are runs of letters; case does not count; a word that occurs
/// twice needs two counterparts. 0 if there are no words.
double copied_share(std::string_view source, std::string_view target);

/// Returns how many numbers occur in only one of two texts; a number that occurs twice needs two
/// counterparts. Numbers are runs of decimal digits of any script, without zeros in front. Three digits after
/// a point, a comma, an apostrophe or a space continue a number: 1,000, 1.000 and 1 000 equal 1000. Other
/// signs divide numbers: 3.5 is 3 and 5, as is 3,5.
std::int64_t unmatched_numbers(std::string_view source, std::string_view target);

/// Returns a hash of a pair that is equal for pairs that differ only in case, digits, punctuation, symbols
/// and white space. All characters but white space count in a text without letters.
std::uint64_t letters_hash(std::string_view source, std::string_view target);

}  // namespace nmt
