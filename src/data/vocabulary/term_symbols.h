// The symbols of sources whose terms are annotated with translations.
#pragma once

#include <array>
#include <string_view>

#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// A source tells a model the translation of a term in the form of OpusTrainer:
/// "a __source__ bike __target__ Rad __done__". The symbols stand before the term, between the term and its
/// translation, and after the translation. Each is a word, and a piece of the vocabulary.
inline constexpr std::string_view kTermBegin = "__source__", kTermTranslation = "__target__",
                                  kTermEnd = "__done__";
inline constexpr std::array kTermSymbols = {kTermBegin, kTermTranslation, kTermEnd};

/// Throws UsageError if the source vocabulary of a model has no pieces for the symbols.
void check_term_symbols(const Vocabulary& source);

}  // namespace nmt
