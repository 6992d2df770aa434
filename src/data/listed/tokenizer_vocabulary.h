// Vocabularies of tokenizers of Hugging Face's transformers. As there, the unknown piece is among the special
// tokens that vanish from text.
#pragma once

#include <string>

#include "data/listed/listed_vocabulary.h"
#include "data/listed/tokenizer_facts.h"

namespace nmt {

/// The vocabulary of an mBART, mBART-50 or NLLB, from its sentencepiece.bpe.model. Languages have the ids
/// that the facts name for them, or, where they name none, those that follow the pieces in order. Throws
/// Error that calls it `name` when these are not where fairseq's numbering has them, for other types of
/// tokenizers, and as make_fairseq_vocabulary() does, where also `rows` is explained.
Vocabulary make_fairseq_vocabulary(std::string sentencepiece, const TokenizerFacts& facts, int rows,
                                   const std::string& name);

/// The vocabulary of an M2M-100, from its sentencepiece.bpe.model and vocab.json; otherwise as above.
Vocabulary make_m2m_vocabulary(std::string sentencepiece, WordList words, const TokenizerFacts& facts,
                               int rows, const std::string& name);

/// The vocabulary of a BART, from its merges.txt and vocab.json. Throws Error that calls it `name` when the
/// list lacks a special token, and as make_byte_pair_vocabulary() does.
Vocabulary make_bart_vocabulary(std::string merges, WordList words, int rows, const std::string& name);

}  // namespace nmt
