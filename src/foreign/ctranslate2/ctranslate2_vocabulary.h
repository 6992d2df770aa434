// Vocabularies of CTranslate2's models: lists of tokens.
#pragma once

#include <string>

#include "foreign/token_lists.h"

namespace nmt {

/// The lists of a folder: shared_vocabulary, or source_vocabulary and target_vocabulary, .json or .txt.
/// CTranslate2 leaves it to its callers to divide text into tokens; what they do it with may be there as
/// well: sentencepiece.bpe.model, as models of transformers have it, or source.spm and target.spm. Throws
/// Error where a list is missing or damaged, and where there are several inputs.
TokenLists read_ctranslate2_lists(const std::string& folder);

}  // namespace nmt
