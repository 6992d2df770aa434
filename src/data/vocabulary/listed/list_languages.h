// Finds the language tokens in a list of words by their spelling.
#pragma once

#include <string>

#include "data/vocabulary/languages.h"
#include "data/vocabulary/listed/word_list.h"

namespace nmt {

/// Returns the languages of tokens such as deu_Latn (NLLB), de_DE (mBART-50) and __de__ (M2M-100), by these
/// codes; sources and translations begin with the token of their own language. Pieces of the SentencePiece
/// model are not languages. Throws Error that calls it `name` if the model is damaged.
LanguageUse coded_languages(const WordList& words, const std::string& sentencepiece, const std::string& name);

}  // namespace nmt
