// Moses' tokenizer: divides text into words and punctuation marks, as is usual in statistical translation.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/moses/traced_text.h"

namespace nmt {

struct MosesToken {
  std::string text;       // UTF-8 without spaces
  std::size_t place = 0;  // first byte in the original text

  bool operator==(const MosesToken&) const = default;
};

struct MosesTokenizing {
  std::string language = "en";  // language of apostrophes and abbreviations
  bool hyphens = true;          // divide at hyphens within words: "well @-@ known" (-a)
  bool escapes = true;          // write &'"<>|[] as entities; false is -no-escape
};

/// Divides text into tokens as tokenizer.perl of Moses 4.0 does.
std::vector<MosesToken> moses_tokens(TracedText text, const MosesTokenizing& settings);

/// Replaces entities in a token by their characters.
std::string without_escapes(std::string_view token);

}  // namespace nmt
