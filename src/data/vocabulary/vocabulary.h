// The subword vocabulary: text to ids and back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/vocabulary/vocabulary_model.h"

namespace nmt {

/// A vocabulary of any kind (VocabularyModel). Immutable, cheap to copy, usable from several threads at once.
/// Every id comes from it: imported vocabularies number their special tokens differently.
class Vocabulary {
 public:
  explicit Vocabulary(std::shared_ptr<const VocabularyModel> model) : model_(std::move(model)) {}
  /// Reads a file. Throws Error when it is missing, damaged or foreign.
  static Vocabulary load(const std::string& path);
  /// Takes the bytes of a file, of whatever kind they are. Throws Error that calls it `name` when it is
  /// damaged or none; see VocabularyKinds and check_vocabulary.
  static Vocabulary from_bytes(std::string bytes, const std::string& name);

  /// The codes of the languages that it has tokens for, sorted; none: its model is of one pair of languages.
  std::vector<std::string> languages() const { return language_use().codes(); }
  /// Their tokens, and what they are used for.
  const LanguageUse& language_use() const { return model_->language_use(); }
  /// The same vocabulary for text of a side in these languages: what it encodes has the tokens that its model
  /// is told them by, unless a text itself begins with one in brackets (>>de<<), and begin(), end() and
  /// first_tokens() may depend on them; also without languages it may have tokens that models of its kind
  /// expect of a side. Throws UsageError for a language that the model does not know, and where one is
  /// missing, or is of no use to it.
  Vocabulary for_languages(Side side, const Languages& languages) const;
  /// The tokens that every translation begins with because of its language: encode() gives them too, before
  /// all others, also of an empty text.
  const std::vector<int>& first_tokens() const { return language_.first; }
  /// Whether what it encodes, its begin() or its end() tells the languages that it is for.
  bool tells_languages() const { return language_ != LanguageTokens(); }
  /// How many tokens encode() may give beside those of the text: those of languages.
  std::int64_t added_tokens() const {
    return std::ssize(language_.first) + std::ssize(language_.before) + std::ssize(language_.after);
  }
  /// Whether sources need the token of a target language, and these ids of one, behind `tags`, begin with
  /// none.
  bool lacks_language(std::span<const int> ids, std::size_t tags = 0) const;
  /// A source without the token of a language that it begins with.
  std::string_view without_language(std::string_view text) const;

  /// The ids of `text`, without special tokens other than those of languages; the token of a language alone
  /// is no text.
  std::vector<int> encode(std::string_view text) const { return with_language(model_->encode(text)); }
  /// A segmentation drawn at random: by the unigram model's probabilities to the power of `alpha` (Kudo,
  /// 2018), or by leaving out merges of BPE with probability `alpha` (Provilkov et al., 2020). Throws Error
  /// for models of other types (samples()). The draws of a thread follow from the seed that was set before
  /// its first one.
  std::vector<int> encode_sampled(std::string_view text, double alpha) const;
  /// Whether there is more than one segmentation to draw from.
  bool samples() const { return model_->samples(); }
  static void seed_sampling(std::uint32_t seed);
  /// The text of `ids`; special tokens vanish, the unknown piece becomes " ⁇ " where it is none of them, and
  /// bytes that spell no text U+FFFD. Throws Error for an id out of range.
  std::string decode(const std::vector<int>& ids) const;

  /// decode(), and where each id begins in the text; special tokens are at kNowhere.
  DecodedText decode_with_places(const std::vector<int>& ids) const;

  /// The pieces that encode() divides `text` into, or encode_sampled() where `alpha` is above 0, and where
  /// they are in the text; tokens of languages that it does not have itself are at kNowhere.
  std::vector<TextPiece> divide(std::string_view text, double alpha = 0) const;
  /// The texts of the pieces of divide().
  std::vector<std::string> pieces(std::string_view text) const;
  /// The pieces of these ids, the unknown one with the spaces that decode() sets it in. Throws as decode().
  std::vector<std::string> pieces(const std::vector<int>& ids) const;

  /// Number of pieces; ids are below it.
  int size() const { return model_->size(); }
  /// Number of rows that the tables of a model have for them: size(), or more where an importer says so.
  int rows() const { return model_->rows(); }
  /// The id of a piece; nothing for what is none. A piece that begins a word begins with U+2581.
  std::optional<int> find(std::string_view piece) const { return model_->find(piece); }
  /// The piece of an id below size(), as find() takes it.
  std::string piece(int id) const { return model_->piece(id); }
  /// The id of text that no piece covers.
  int unknown() const { return model_->unknown(); }
  /// The id of BOS, which begins a sentence, where there is one.
  std::optional<int> begin() const { return language_.begin ? language_.begin : model_->begin(); }
  /// The id of EOS, which ends a sentence.
  int end() const { return language_.end.value_or(model_->end()); }
  /// Whether an id below size() stands for no text, so that decode() leaves it out.
  bool is_special(int id) const;
  /// The same whatever languages it is for.
  bool is_always_special(int id) const { return model_->is_special(id); }

  /// The file as it was read, byte for byte.
  const std::string& bytes() const { return model_->bytes(); }
  /// A checksum of bytes().
  std::uint64_t fingerprint() const;
  /// Writes bytes() to a file, atomically.
  void save(const std::string& path) const;

  /// Whether ids are of the same pieces: same bytes.
  bool has_pieces_of(const Vocabulary& other) const {
    return model_ == other.model_ || bytes() == other.bytes();
  }
  /// Whether text has the same ids: same bytes, and for the same languages.
  bool operator==(const Vocabulary& other) const {
    return has_pieces_of(other) && language_ == other.language_;
  }

 private:
  void check_ids(const std::vector<int>& ids) const;
  /// Throws Error where sampling is asked for and not possible.
  void check_samples() const;
  /// Whether this id tells a source's language where the source begins with it.
  bool tells_language(int id) const;
  /// The tokens of a text with those of its language. `token_of` makes one of an id.
  template <class Token, class TokenOf>
  std::vector<Token> with_language(std::vector<Token> tokens, bool tells_itself, TokenOf token_of) const;
  std::vector<int> with_language(std::vector<int> ids) const;

  std::shared_ptr<const VocabularyModel> model_;
  LanguageTokens language_;
};

}  // namespace nmt
