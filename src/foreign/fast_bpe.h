// Codes and words of fastBPE, in the terms of subword-nmt.
#pragma once

#include <string>
#include <string_view>

#include "data/vocabulary/listed/word_list.h"

namespace nmt {

/// Returns the codes of fastBPE in the form of subword-nmt 0.2, which differs in a first line and in that
/// pairs have no counts. Lines without a pair are left out.
std::string subword_nmt_codes(std::string_view fast_bpe);

/// Whether codes are those of fastBPE, with or without counts: they have no line about a version, and in no
/// pair the end of a word is a symbol of its own, as in subword-nmt 0.1.
bool are_fast_bpe_codes(std::string_view codes);

/// Changes words whose last part ends in "</w>" to words whose other parts end in "@@". The words <s>, <pad>,
/// </s> and <unk> stay.
void mark_continuing_parts(WordList& words);

}  // namespace nmt
