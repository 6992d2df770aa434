// The vocabularies of a model of eole, which are in its vocab.json.
#pragma once

#include <string>

#include "foreign/token_lists.h"

namespace nmt {

/// What a vocab.json says: lists of tokens, and which are special. A source has no special tokens.
struct EoleVocabulary {
  TokenLists lists;
  TokenNames names;
};

/// Throws Error where the file is missing, damaged, or of another form.
EoleVocabulary read_eole_vocabulary(const std::string& path);

}  // namespace nmt
