// The tokenizer "intl" of mteval-v14 with --international-tokenization.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Returns a line of UTF-8 with white space between its tokens: separates symbols, and punctuation except
/// within numbers, both as defined by Unicode.
std::string tokenize_intl(std::string_view line);

}  // namespace nmt
