// Text as the encoder of a COMET model reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/vocabulary/vocabulary.h"

namespace nmt {

/// A token of a text: its id, and its place in bytes of the text. Special tokens around a text are at 0.
struct CometToken {
  int id = 0;
  std::size_t begin = 0, end = 0;
};

/// Divides texts into tokens as XLM-RoBERTa's tokenizer does. Special tokens that a text contains, such as
/// <s>, stand for themselves.
class CometText {
 public:
  /// `longest`: of the sequences of the encoder. `with_space`: whether the first token of a word begins at
  /// the space before it.
  CometText(Vocabulary vocabulary, std::int64_t longest, bool with_space);

  /// Returns <s> text </s>. The text is cut so that two more tokens would fit into the longest sequence.
  std::vector<CometToken> tokens(std::string_view text) const;
  /// Returns the ids of these tokens.
  static std::vector<int> ids(const std::vector<CometToken>& tokens);
  /// Returns <s> a </s></s> b </s> for <s> a </s> and <s> b </s>, and so on, cut to the longest sequence.
  std::vector<int> joined(const std::vector<std::vector<int>>& parts) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  struct Place {
    std::size_t begin, end;
  };
  /// Returns the place of a token that was made of the bytes [begin, end) of a text.
  Place place_of(std::string_view text, std::size_t begin, std::size_t end) const;
  /// Appends the tokens of a part of a text without special tokens. `begin`: of the part in the text.
  void add_plain(std::string_view text, std::size_t begin, std::vector<CometToken>& tokens) const;

  Vocabulary vocabulary_;
  std::size_t longest_;
  bool with_space_;
};

}  // namespace nmt
