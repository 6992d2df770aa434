// Moses' tokenizer: text as the words and punctuation marks that statistical translation made customary.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/moses/traced_text.h"

namespace nmt {

struct MosesToken {
  std::string text;       // UTF-8 without spaces
  std::size_t place = 0;  // where it begins, a byte of the original text

  bool operator==(const MosesToken&) const = default;
};

struct MosesTokenizing {
  std::string language = "en";  // whose apostrophes and abbreviations count
  bool hyphens = true;          // divide at hyphens within words, "well @-@ known" (-a)
  bool escapes = true;          // write &'"<>|[] as entities, without -no-escape
};

/// Divides text into tokens as tokenizer.perl of Moses 4.0 does.
std::vector<MosesToken> moses_tokens(TracedText text, const MosesTokenizing& settings);

/// A token in which entities stand for the characters that they are escapes of.
std::string without_escapes(std::string_view token);

}  // namespace nmt
