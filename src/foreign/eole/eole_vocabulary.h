// The vocabularies of an eole model in its vocab.json.
#pragma once

#include <string>

#include "foreign/token_lists.h"

namespace nmt {

/// The contents of a vocab.json: lists of tokens, and the special tokens. A source has no special tokens.
struct EoleVocabulary {
  TokenLists lists;
  TokenNames names;
};

/// Reads a vocab.json. Throws Error if the file is missing, damaged, or malformed.
EoleVocabulary read_eole_vocabulary(const std::string& path);

}  // namespace nmt
