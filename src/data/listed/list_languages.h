// The languages that a list of words has tokens for, by how these are written.
#pragma once

#include <string>

#include "data/listed/word_list.h"
#include "data/vocabulary/languages.h"

namespace nmt {

/// Those of tokens such as deu_Latn (NLLB), de_DE (mBART-50) and __de__ (M2M-100), by these codes; a source
/// and a translation begin with that of their own. What the SentencePiece model has as a piece is no
/// language. Throws Error that calls it `name` when it is damaged.
LanguageUse coded_languages(const WordList& words, const std::string& sentencepiece, const std::string& name);

}  // namespace nmt
