// The vocabulary of a model of Hugging Face transformers: the files of its tokenizer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/vocabulary/languages.h"
#include "foreign/containers/json_file.h"
#include "foreign/huggingface/huggingface_settings.h"
#include "nn/files/vocabularies.h"

namespace nmt {

/// What the tables of the model ask of its vocabularies.
struct TokenizerNeeds {
  int source_rows = 0, target_rows = 0;
  std::optional<int> begin = {};  // the token that the decoder begins with, unless it is EOS
  bool has_padding = true;        // or else <pad>, the last word, is left out
};

struct HuggingFaceTokenizer {
  Vocabularies vocabularies;
  Languages usual = {};  // what the files say of the languages of a text
};

/// Reads what the tokenizer of the class that the files name reads. Throws Error where a file is missing or
/// damaged, and for other tokenizers, which it names.
HuggingFaceTokenizer read_tokenizer(const std::string& folder, const JsonFile& config,
                                    HuggingFaceFamily family, const TokenizerNeeds& needs);

}  // namespace nmt
