// The vocabulary of a Hugging Face transformers model, read from the files of its tokenizer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/vocabulary/languages.h"
#include "foreign/containers/json_file.h"
#include "foreign/huggingface/huggingface_settings.h"
#include "nn/saved/vocabularies.h"

namespace nmt {

/// What the tables of the model require of its vocabularies.
struct TokenizerNeeds {
  int source_rows = 0, target_rows = 0;
  std::optional<int> begin = {};  // first token of the decoder input, unless it is EOS
  bool has_padding = true;        // otherwise <pad>, the last word, is left out
};

struct HuggingFaceTokenizer {
  Vocabularies vocabularies;
  Languages usual = {};  // languages of a text according to the files
};

/// Reads the vocabulary of the tokenizer class that the files name. Throws Error if a file is missing or
/// damaged, and for unsupported tokenizers, which it names.
HuggingFaceTokenizer read_tokenizer(const std::string& folder, const JsonFile& config,
                                    HuggingFaceFamily family, const TokenizerNeeds& needs);

}  // namespace nmt
