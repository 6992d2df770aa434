// Words without the punctuation around them.
#pragma once

#include <string_view>

namespace nmt {

/// Returns the text between the punctuation at the beginning and at the end of a word, as a view of it; empty
/// if it has no letter or digit.
std::string_view core_of(std::string_view word);

}  // namespace nmt
