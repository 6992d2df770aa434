// What the files of a tokenizer of Hugging Face's transformers say, beside its words and pieces.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace nmt {

/// The contents of JSON files; empty where there is none.
struct TokenizerFiles {
  std::string tokenizer_config;    // tokenizer_config.json
  std::string added_tokens;        // added_tokens.json
  std::string special_tokens_map;  // special_tokens_map.json
};

/// What they say together.
struct TokenizerFacts {
  std::string type;                            // tokenizer_class, without "Fast": "NllbTokenizer"
  std::map<int, std::string> added;            // tokens by id, beside words and pieces or among them
  std::map<std::string, std::string> special;  // tokens by what they are for: "eos_token"
  std::vector<std::string> additional;         // further special tokens in order, mostly of languages
  std::string source_language, target_language;
  bool is_legacy = false;        // of NLLB: the source language stands at the end of the source
  bool separate_vocabs = false;  // of Marian: each side has its own list of words
};

/// Reads them. Throws Error that calls their folder `name` when one is no JSON, or says something in another
/// form than transformers, or when two give an id to different tokens.
TokenizerFacts tokenizer_facts(const TokenizerFiles& files, const std::string& name);

}  // namespace nmt
