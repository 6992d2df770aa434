// The tokenizers of BLEU by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nmt {

/// Returns a line of UTF-8 with white space between its tokens.
using Tokenizer = std::string (*)(std::string_view line);

/// Returns the names that find_tokenizer() accepts.
std::vector<std::string> tokenizer_names();

/// Returns the tokenizer of this name. Throws UsageError for an unknown name.
Tokenizer find_tokenizer(std::string_view name);

}  // namespace nmt
