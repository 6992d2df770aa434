// The tokenizer "13a" of sacrebleu, after NIST's mteval-v13a.pl: the WMT standard for BLEU.
#pragma once

#include <string>
#include <string_view>

namespace nmt::metrics {

/// The tokens of a line of UTF-8 with one blank between them. Tokens hold no white space.
std::string tokenize_13a(std::string_view line);

}  // namespace nmt::metrics
