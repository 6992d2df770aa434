// The tokenizers of BLEU by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Gives a line, which is UTF-8, white space between its tokens.
using Tokenizer = std::string (*)(std::string_view line);

/// The names that find_tokenizer knows.
std::vector<std::string> tokenizer_names();

/// Throws UsageError for a name that is not in tokenizer_names().
Tokenizer find_tokenizer(std::string_view name);

}  // namespace nmt
