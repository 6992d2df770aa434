// Facts in the files of a tokenizer of Hugging Face's transformers, other than words and pieces.
#pragma once

#include <map>
#include <string>
#include <vector>

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
  std::vector<std::string> additional;         // further special tokens in order, mostly languages
  std::string source_language, target_language;
  bool is_legacy = false;        // for NLLB: whether the source language is at the end of the source
  bool separate_vocabs = false;  // for Marian: whether each side has its own list of words
};

/// Parses the files. Throws Error that calls their folder `name` if one is invalid JSON, or differs in form
/// from transformers, or if two give an id to different tokens.
TokenizerFacts tokenizer_facts(const TokenizerFiles& files, const std::string& name);

}  // namespace nmt
