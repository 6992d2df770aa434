// Vocabularies as the files of a tokenizer of Hugging Face transformers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "foreign/huggingface/huggingface_settings.h"
#include "nn/files/vocabularies.h"

namespace nmt {

struct TokenizerExport {
  std::map<std::string, std::string> files;  // bytes by name
  /// The id of <pad>. Where it is that of no row of the model's tables, these get as many as it takes.
  std::int64_t padding = 0;
  std::optional<std::int64_t> first;  // that all translations begin with: their language, or BOS
  bool begins_with_language = false;  // the decoder does, instead
  std::optional<std::int64_t> begin;  // which one, where that is known
};

/// The tokenizer of models of a family. `languages`: those of a text unless another is named; `start`: the
/// token that the decoder begins with, where it is no zero. Throws Error that names what no tokenizer of the
/// family does.
TokenizerExport export_tokenizer(const Vocabularies& vocabularies, HuggingFaceFamily family,
                                 const Languages& languages, std::optional<int> start);

}  // namespace nmt
