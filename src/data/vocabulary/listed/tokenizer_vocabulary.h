// Vocabularies of tokenizers of Hugging Face's transformers. As in transformers, the unknown piece is one of
// the special tokens that are removed from text.
#pragma once

#include <string>

#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/tokenizer_facts.h"

namespace nmt {

/// Makes the vocabulary of an mBART, mBART-50 or NLLB from its sentencepiece.bpe.model. Languages have the
/// ids that the facts name, or if they name none, the ids after the pieces in order. Throws Error that calls
/// it `name` if these ids differ from fairseq's numbering, for other types of tokenizers, and as the other
/// make_fairseq_vocabulary() does, which also explains `rows`.
Vocabulary make_fairseq_vocabulary(std::string sentencepiece, const TokenizerFacts& facts, int rows,
                                   const std::string& name);

/// Makes the vocabulary of an M2M-100 from its sentencepiece.bpe.model and vocab.json. Parameters and errors
/// are those of make_fairseq_vocabulary(). `sentencepiece_name`: see make_piece_vocabulary().
Vocabulary make_m2m_vocabulary(std::string sentencepiece, WordList words, const TokenizerFacts& facts,
                               int rows, const std::string& name, const std::string& sentencepiece_name = "");

/// Makes the vocabulary of a BART from its merges.txt and vocab.json. Throws Error that calls it `name` if
/// the list lacks a special token, and as make_byte_pair_vocabulary() does.
Vocabulary make_bart_vocabulary(std::string merges, WordList words, int rows, const std::string& name);

}  // namespace nmt
