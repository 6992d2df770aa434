// The tokenizer "zh" for Chinese.
#pragma once

#include <string>
#include <string_view>

namespace nmt {

/// Returns a line of UTF-8 with white space between its tokens: every Chinese character is a token, the rest
/// is split as by tokenizer 13a.
std::string tokenize_zh(std::string_view line);

}  // namespace nmt
