// Vocabularies of toolkits that leave it to their callers to divide text into tokens: lists of these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/listed/word_list.h"
#include "nn/files/vocabularies.h"
#include "nn/settings.h"

namespace nmt {

/// Which tokens of the lists are special, and what sides of a model begin and end with.
struct TokenNames {
  std::string unk = "<unk>", bos = "<s>", eos = "</s>";
  std::vector<std::string> padding = {"<blank>", "<pad>"};
  /// Nothing: whoever translates says it, with each text.
  std::optional<std::string> decoder_start;
  bool source_has_bos = false, source_has_eos = false;
};

/// The setting `source_special_tokens`.
std::string source_special_tokens_of(const TokenNames& names);
/// The setting `decoder_start` of a decoder that begins with a token; `name`: of the file, for messages.
/// Throws Error where that comes with each text.
std::string decoder_start_of(const TokenNames& names, const std::string& name);

struct TokenList {
  std::string name;  // of its file, for messages
  WordList words;
};

/// Those of both sides.
struct TokenLists {
  TokenList source, target;
  /// SentencePiece models that divide text into these, both or none.
  std::optional<std::string> source_pieces = {}, target_pieces = {};

  bool are_one() const { return source.words == target.words; }
};

/// The vocabularies of a model with these settings (source_vocabulary, target_vocabulary, decoder_start). A
/// list that lacks the unknown token has it at its end. Without SentencePiece models text is divided at
/// blanks, and special tokens in it stand for themselves. Throws Error where a token that has to be there is
/// missing, and where there are more than rows in a table.
Vocabularies vocabularies_of(const TokenLists& lists, const TokenNames& names, const ModelSettings& settings);

}  // namespace nmt
