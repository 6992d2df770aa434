// Vocabularies of tokenizers of Hugging Face's transformers. As in transformers, the unknown piece is one of
// the special tokens that are removed from text.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {

/// The contents of JSON files; empty: no such file.
struct TokenizerFiles {
  std::string tokenizer_config;    // tokenizer_config.json
  std::string added_tokens;        // added_tokens.json
  std::string special_tokens_map;  // special_tokens_map.json
};

/// The combined facts of the files.
struct TokenizerFacts {
  std::string type;                            // tokenizer_class, without "Fast": "NllbTokenizer"
  std::map<int, std::string> added;            // tokens by id, in addition to words and pieces or among them
  std::map<std::string, std::string> special;  // tokens by purpose: "eos_token"
  std::set<int> hidden;                        // ids of special ones among `added`: no part of a text
  int extra_ids = 100;                         // for T5: sentinels after the pieces, unless `added` has them
  std::vector<std::string> additional;         // further special tokens in order, mostly languages
  std::string source_language, target_language;
  bool names_all_tokens = false;  // whether a token that is not among `added` is unknown
  bool is_legacy = false;         // for NLLB: whether the source language is at the end of the source
  bool separate_vocabs = false;   // for Marian: whether each side has its own list of words
};

/// Parses the files. Throws Error that calls their folder `name` if one is invalid JSON, or differs in form
/// from transformers, or if two give an id to different tokens.
TokenizerFacts tokenizer_facts(const TokenizerFiles& files, const std::string& name);

/// Throws Error with the reason alone if an added token is longer than any piece may be.
void check_added_token(std::string_view token);

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

/// Makes the vocabulary of a T5 or MADLAD-400 from its spiece.model: the ids of pieces are those of the
/// model, and sentinels follow (<extra_id_99> to <extra_id_0>). User-defined pieces and added tokens are
/// found in a text before it is divided; those like <2de> tell the language of the translation. `begin`: the
/// first decoder input. Each of the `rows` of the model's tables is a token. Throws Error that calls it
/// `name` if pieces for special tokens are missing, and as make_piece_vocabulary() does.
Vocabulary make_t5_vocabulary(const std::string& sentencepiece, const TokenizerFacts& facts, int rows,
                              std::optional<int> begin, const std::string& name);

/// Makes the vocabulary of a ByT5, which has no file: <pad>, </s>, <unk>, the 256 bytes, and sentinels
/// (<extra_id_0> to <extra_id_124>) up to the number of rows, or the tokens that the facts name. `begin`: the
/// first decoder input. Throws Error that calls it `name` if there are too few rows.
Vocabulary make_byt5_vocabulary(const TokenizerFacts& facts, int rows, std::optional<int> begin,
                                const std::string& name);

/// Makes the vocabulary of a BART from its merges.txt and vocab.json. Throws Error that calls it `name` if
/// the list lacks a special token, and as make_byte_pair_vocabulary() does.
Vocabulary make_bart_vocabulary(std::string merges, WordList words, int rows, const std::string& name);

}  // namespace nmt
