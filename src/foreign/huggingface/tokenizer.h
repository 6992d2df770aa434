// The tokenizer of a Hugging Face folder, read and written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "data/vocabulary/languages.h"
#include "foreign/containers/json_file.h"
#include "foreign/huggingface/huggingface_settings.h"
#include "nn/saved/vocabularies.h"

namespace nmt {

/// The requirements of the model's tables on its vocabularies.
struct TokenizerNeeds {
  int source_rows = 0, target_rows = 0;
  std::optional<int> begin = {};  // first token of the decoder input, unless it is EOS
  bool has_padding = true;        // otherwise <pad>, the last word, is left out
  /// Whether T5's SentencePiece model may spell characters without a piece as bytes. The fast tokenizers of
  /// transformers make them unknown instead.
  bool has_byte_fallback = true;
};

struct HuggingFaceTokenizer {
  Vocabularies vocabularies;
  Languages usual = {};  // languages of a text according to the files
};

/// Reads the vocabulary of the tokenizer class that the files name. Throws Error if a file is missing or
/// damaged, and for unsupported tokenizers, which it names.
HuggingFaceTokenizer read_tokenizer(const std::string& folder, const JsonFile& config,
                                    HuggingFaceFamily family, const TokenizerNeeds& needs);

struct TokenizerExport {
  std::map<std::string, std::string> files;  // bytes by name
  /// The id of <pad>. If the model's tables have no such row, they get more rows until they do.
  std::int64_t padding = 0;
  std::optional<std::int64_t> first;  // first token of all translations: their language, or BOS
  bool begins_with_language = false;  // whether the decoder input begins with the language instead
  std::optional<std::int64_t> begin;  // its first token, if known
};

/// Returns the tokenizer of models of a family. `languages`: the default languages of a text; `start`: the
/// first token of the decoder input, unless that is a zero vector. Throws Error that names what tokenizers of
/// the family do not support.
TokenizerExport export_tokenizer(const Vocabularies& vocabularies, HuggingFaceFamily family,
                                 const Languages& languages, std::optional<int> start);

}  // namespace nmt
