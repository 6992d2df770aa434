// The tokenizer "13a" of sacrebleu, after NIST's mteval-v13a.pl: the WMT standard for BLEU.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Returns a line of UTF-8 with white space between its tokens. Tokens contain no white space.
std::string tokenize_13a(std::string_view line);

/// Does the second half of tokenize_13a(), after entities are decoded: separates ASCII punctuation, full
/// stops and commas except within numbers, and dashes only after digits.
std::string space_western(std::string_view line);

}  // namespace nmt
