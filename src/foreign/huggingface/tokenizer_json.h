// The vocabulary in a tokenizer.json, which transformers 5 writes instead of the files of earlier versions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/listed/word_list.h"
#include "data/vocabulary/model_proto.h"

namespace nmt {

/// A tokenizer.json as the `tokenizers` library reads it. Its vocabulary is returned in the form of the files
/// that earlier versions of transformers wrote, so that the same code reads both.
class TokenizerJson {
 public:
  /// Parses a file that messages call `name`. Throws Error if the file is damaged, or if a part of it divides
  /// text in another way than SentencePiece or the byte-level BPE of GPT-2.
  TokenizerJson(std::string_view text, std::string name);

  const std::string& name() const { return name_; }
  /// Returns the added tokens by id, which include all special tokens.
  const std::map<int, std::string>& added() const { return added_; }
  /// Returns the ids of the special tokens among the added tokens. Special tokens are not part of a
  /// translation's text.
  const std::set<int>& special() const { return special_; }
  /// Whether text is divided by byte-level BPE.
  bool is_byte_level() const { return kind_ == Kind::byte_level_bpe; }
  /// Whether text is divided at white space first, so that the place of a word does not include it.
  bool splits_at_spaces() const { return splits_at_spaces_; }
  /// Returns the words by id. Throws Error if text is not divided by byte-level BPE.
  const WordList& words() const;
  /// Returns the merges in the format of merges.txt. Throws Error if text is not divided by byte-level BPE.
  std::string merges() const;
  /// Returns the serialized SentencePiece model that divides text in the same way, with ids that are lower by
  /// one, as in fairseq's vocabularies. Throws Error if there is no such model.
  std::string fairseq_sentencepiece() const;
  /// Returns the serialized SentencePiece model that divides text in the same way, with the same ids. Added
  /// tokens among its pieces are user-defined, unless they are special. Throws Error if there is no such
  /// model.
  std::string sentencepiece() const;
  /// Returns sentencepiece() or fairseq_sentencepiece(), whichever exists, for callers with ids of their own.
  std::string sentencepiece_of_any_ids() const;

 private:
  enum class Kind { unigram, bpe, byte_level_bpe };
  struct Merge {
    std::string left, right;
  };
  class Reader;

  void require_byte_level(bool is_needed) const;
  bool begins_as_fairseq() const;
  model_proto::PieceType type_of_piece(int id) const;
  std::vector<float> scores_of_merges() const;
  /// Returns the pieces [first, end) of a serialized model.
  std::string pieces(int first, int end) const;
  /// Returns the part of a serialized model after the pieces.
  std::string settings_of_pieces() const;

  std::string name_;
  Kind kind_ = Kind::unigram;
  WordList words_;
  std::vector<float> scores_;  // of words; only for `unigram`
  std::vector<Merge> merges_;
  int unknown_ = -1;  // id of the unknown piece; only for `unigram`
  std::map<int, std::string> added_;
  std::set<int> special_;
  std::string rules_;  // SentencePiece's precompiled_charsmap
  bool joins_spaces_ = false;
  bool splits_at_spaces_ = false;
  bool begins_with_space_ = true;
  bool has_byte_pieces_ = false;
};

}  // namespace nmt
