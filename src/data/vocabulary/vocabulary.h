// The subword vocabulary: converts text to ids and back.
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

/// A vocabulary of any kind (VocabularyModel). Immutable, cheap to copy, usable by several threads at a time.
/// All ids must come from it, as imported vocabularies number their special tokens differently.
class Vocabulary {
 public:
  explicit Vocabulary(std::shared_ptr<const VocabularyModel> model) : model_(std::move(model)) {}
  /// Reads a file. Throws Error if it is missing, damaged or not a vocabulary.
  static Vocabulary load(const std::string& path);
  /// Reads the bytes of a file of any kind. Throws Error that calls it `name` if it is damaged or not a
  /// vocabulary; see VocabularyKinds and check_vocabulary().
  static Vocabulary from_bytes(std::string bytes, const std::string& name);

  /// Returns the codes of the languages that it has tokens for, sorted; empty for a model of one pair of
  /// languages.
  std::vector<std::string> languages() const { return language_use().codes(); }
  /// Returns the language tokens and their use.
  const LanguageUse& language_use() const { return model_->language_use(); }
  /// Returns this vocabulary for text of a side in these languages. Text that it encodes then has the tokens
  /// that name the languages to its model, unless the text begins with such a token in brackets (>>de<<).
  /// begin(), end() and first_tokens() may depend on the languages. Even without languages it may add tokens
  /// that models of its kind expect on a side. Throws UsageError for an unknown language, for a missing one
  /// that is needed, and for one that has no use.
  Vocabulary for_languages(Side side, const Languages& languages) const;
  /// Returns the tokens that every translation begins with because of its language. encode() puts them before
  /// all others, also for an empty text.
  const std::vector<int>& first_tokens() const { return language_.first; }
  /// Whether encode(), begin() or end() depend on the languages.
  bool tells_languages() const { return language_ != LanguageTokens(); }
  /// Returns the maximum number of language tokens that encode() adds to a text.
  std::int64_t added_tokens() const {
    return std::ssize(language_.first) + std::ssize(language_.before) + std::ssize(language_.after);
  }
  /// Whether sources need the token of a target language, and these ids of one lack it after `tags` tags.
  bool lacks_language(std::span<const int> ids, std::size_t tags = 0) const;
  /// Returns a source without the language token at its beginning.
  std::string_view without_language(std::string_view text) const;

  /// Returns the ids of `text`, with language tokens but without other special tokens. A language token alone
  /// counts as an empty text.
  std::vector<int> encode(std::string_view text) const { return with_language(model_->encode(text)); }
  /// Returns the ids of a random segmentation: by the unigram model's probabilities to the power of `alpha`
  /// (Kudo, 2018), or by leaving out BPE merges with probability `alpha` (Provilkov et al., 2020). Throws
  /// Error for models of other types (see samples()). The draws of a thread follow from the seed that was set
  /// before its first one.
  std::vector<int> encode_sampled(std::string_view text, double alpha) const;
  /// Whether segmentations can be sampled.
  bool samples() const { return model_->samples(); }
  static void seed_sampling(std::uint32_t seed);
  /// Returns the text of `ids`. Special tokens vanish; the unknown piece becomes " ⁇ " unless it is special;
  /// bytes that are not UTF-8 become U+FFFD. Throws Error for an id out of range.
  std::string decode(const std::vector<int>& ids) const;

  /// Decodes as decode() does, and returns where each id begins in the text; special tokens are at kNowhere.
  DecodedText decode_with_places(const std::vector<int>& ids) const;

  /// Returns the pieces of `text` by encode(), or by encode_sampled() if `alpha` is above 0, with their
  /// places in the text; language tokens that the text itself does not contain are at kNowhere.
  std::vector<TextPiece> divide(std::string_view text, double alpha = 0) const;
  /// Returns the texts of the pieces of divide().
  std::vector<std::string> pieces(std::string_view text) const;
  /// Returns the pieces of these ids, the unknown piece with spaces as in decode(). Throws as decode() does.
  std::vector<std::string> pieces(const std::vector<int>& ids) const;

  /// Returns the number of pieces, which is above all ids.
  int size() const { return model_->size(); }
  /// Returns the number of rows of a model's tables: size(), or more if an importer says so.
  int rows() const { return model_->rows(); }
  /// Returns the id of a piece; nothing for an unknown piece. A piece that begins a word begins with U+2581.
  std::optional<int> find(std::string_view piece) const { return model_->find(piece); }
  /// Returns the piece of an id below size(), in the form that find() accepts.
  std::string piece(int id) const { return model_->piece(id); }
  /// Returns the id of text that no piece covers.
  int unknown() const { return model_->unknown(); }
  /// Returns the id of BOS, which begins a sentence, if there is one.
  std::optional<int> begin() const { return language_.begin ? language_.begin : model_->begin(); }
  /// Returns the id of EOS, which ends a sentence.
  int end() const { return language_.end.value_or(model_->end()); }
  /// Whether an id below size() stands for no text, so that decode() leaves it out.
  bool is_special(int id) const;
  /// Whether an id is special regardless of languages.
  bool is_always_special(int id) const { return model_->is_special(id); }

  /// Returns the file as it was read, byte for byte.
  const std::string& bytes() const { return model_->bytes(); }
  /// Returns a checksum of bytes().
  std::uint64_t fingerprint() const;
  /// Writes bytes() to a file, atomically.
  void save(const std::string& path) const;

  /// Whether two vocabularies have the same pieces, by comparing their bytes.
  bool has_pieces_of(const Vocabulary& other) const {
    return model_ == other.model_ || bytes() == other.bytes();
  }
  /// Whether two vocabularies give text the same ids: same bytes and same languages.
  bool operator==(const Vocabulary& other) const {
    return has_pieces_of(other) && language_ == other.language_;
  }

 private:
  void check_ids(const std::vector<int>& ids) const;
  /// Throws Error if sampling is not possible.
  void check_samples() const;
  /// Whether this id is a language token with which a source may begin.
  bool tells_language(int id) const;
  /// Returns the tokens of a text with those of its language. `token_of` converts an id to a token.
  template <class Token, class TokenOf>
  std::vector<Token> with_language(std::vector<Token> tokens, bool tells_itself, TokenOf token_of) const;
  std::vector<int> with_language(std::vector<int> ids) const;

  std::shared_ptr<const VocabularyModel> model_;
  LanguageTokens language_;
};

}  // namespace nmt
