// Exports vocabularies as the files of a Hugging Face transformers tokenizer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "foreign/huggingface/huggingface_settings.h"
#include "nn/saved/vocabularies.h"

namespace nmt {

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
