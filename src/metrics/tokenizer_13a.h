// The tokenizer "13a" of sacrebleu, after NIST's mteval-v13a.pl: the WMT standard for BLEU.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// A line of UTF-8 with white space between its tokens. Tokens hold no white space.
std::string tokenize_13a(std::string_view line);

/// Its second half, which decodes nothing: ASCII punctuation stands apart, full stops and commas except
/// within numbers, dashes behind digits only.
std::string space_western(std::string_view line);

}  // namespace nmt
