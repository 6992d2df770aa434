// The tokenizer "intl", that of mteval-v14 with --international-tokenization.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// A line, which is UTF-8, with white space between its tokens: symbols stand apart, and so does
/// punctuation except within numbers, each as Unicode defines them.
std::string tokenize_intl(std::string_view line);

}  // namespace nmt
