// Whole numbers as people write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nmt {

/// Returns the decimal digits of a whole number that is written with separators, an exponent or a suffix:
/// "25000" for "25,000", "25_000", "2.5e4" and "25k", "2000000" for "2M". Nothing for any other text,
/// including plain digits, and for numbers above 9e15.
std::optional<std::string> digits_of(std::string_view text);

/// Returns "25000" for "25.000" and "1000000" for "1.000.000", where a whole number is expected: in many
/// languages dots separate thousands. Empty for any other text.
std::string without_dots(std::string_view text);

}  // namespace nmt
