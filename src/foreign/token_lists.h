// Vocabularies of toolkits that expect their callers to divide text into tokens: lists of tokens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/vocabulary/listed/listed_file.h"
#include "data/vocabulary/listed/word_list.h"
#include "nn/saved/vocabularies.h"
#include "nn/settings.h"

namespace nmt {

/// The special tokens of the lists, and the first and last tokens of the sides of a model.
struct TokenNames {
  std::string unk = "<unk>", bos = "<s>", eos = "</s>";
  std::vector<std::string> padding = {"<blank>", "<pad>"};
  /// First token of the decoder input; none: the user gives it with each text.
  std::optional<std::string> decoder_start;
  bool source_has_bos = false, source_has_eos = false;
};

/// Returns the setting `source_special_tokens`.
std::string source_special_tokens_of(const TokenNames& names);
/// Returns the setting `decoder_start` of a decoder that begins with a token; `name`: of the file, for
/// messages. Throws Error if the token comes with each text.
std::string decoder_start_of(const TokenNames& names, const std::string& name);

struct ListedTokens {
  std::string name;  // of its file, for messages
  WordList words;
};

/// A SentencePiece model, or codes of BPE that follow Moses' tokenizer, which divides text into tokens.
struct TokenPieces {
  std::string name;  // of its file, for messages
  std::string bytes;
  std::optional<MosesFacts> moses = {};  // for BPE; `bytes` are then codes of subword-nmt
};

/// A token with which callers begin all translations.
struct FirstToken {
  std::string name;      // of the file that says so, for messages
  std::string token;     // of the target's list
  std::string language;  // the code that it stands for
};

/// The lists of both sides.
struct TokenLists {
  ListedTokens source, target;
  /// The models that divide text into these tokens, both or none.
  std::optional<TokenPieces> source_pieces = {}, target_pieces = {};
  std::optional<FirstToken> first = {};

  bool are_one() const { return source.words == target.words; }
};

/// Throws Error if a folder has only one of source.spm and target.spm, because translations or their sources
/// would be pieces instead of text.
void check_both_pieces(const std::string& folder, bool has_source, bool has_target);

/// Returns the vocabularies of a model with these settings (source_vocabulary, target_vocabulary,
/// decoder_start). If a list lacks the unknown token, it is appended. Without pieces, text is divided at
/// spaces, and special tokens in it stand for themselves. Throws Error if a required token is missing, and if
/// there are more tokens than rows in a table.
Vocabularies vocabularies_of(const TokenLists& lists, const TokenNames& names, const ModelSettings& settings);

}  // namespace nmt
