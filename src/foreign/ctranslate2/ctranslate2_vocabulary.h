// Vocabularies of CTranslate2's models: lists of tokens.
#pragma once

#include <string>

#include "foreign/containers/package.h"
#include "foreign/token_lists.h"

namespace nmt {

/// Reads the lists of a folder: shared_vocabulary, or source_vocabulary and target_vocabulary, .json or .txt.
/// Throws Error if a list is missing or damaged, and if there are several inputs.
TokenLists read_ctranslate2_lists(const Package& package);

}  // namespace nmt
