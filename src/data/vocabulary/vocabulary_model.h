// The interface of a kind of vocabulary behind Vocabulary, and the recognition of its files.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary/languages.h"

namespace nmt {

/// The place of a token that stands for no text.
inline constexpr std::size_t kNowhere = std::string_view::npos;

/// The character for a space in pieces, as SentencePiece writes it: U+2581.
inline constexpr std::string_view kSpaceMark = "\u2581";

/// A piece of a given text.
struct TextPiece {
  std::string text;  // the original text if no piece covers it; begins with U+2581 at the beginning of a word
  int id = 0;
  std::size_t place = kNowhere;  // start: a byte of the text, or of the white space before it
  /// The bytes [begin, end) of the text that became the piece, with the white space before it, if the
  /// vocabulary knows them.
  std::size_t begin = kNowhere, end = kNowhere;
};

/// The text of ids, and the byte at which each of them, or the white space before it, begins.
struct DecodedText {
  std::string text;
  std::vector<std::size_t> places;
};

/// Converts text to ids and back. Immutable, and usable by several threads at a time. Ids are below size()
/// and have a meaning only in this vocabulary: another kind has other special tokens, other ids for them, or
/// no BOS. The model does all processing of text itself (normalization, other scripts).
class VocabularyModel {
 public:
  virtual ~VocabularyModel() = default;

  /// Returns the file that it was read from, byte for byte, as model files and packed corpora store it.
  virtual const std::string& bytes() const = 0;

  /// Returns the ids of `text`, without special tokens; the best of several segmentations.
  virtual std::vector<int> encode(std::string_view text) const = 0;
  /// Returns the pieces of `text` by encode(), or by sample() if `alpha` is above 0.
  virtual std::vector<TextPiece> divide(std::string_view text, double alpha) const = 0;
  /// Whether segmentations can be sampled; false unless sample() is overridden.
  virtual bool samples() const { return false; }
  /// Returns the ids of a sampled segmentation, if samples(); see Vocabulary::encode_sampled().
  virtual std::vector<int> sample(std::string_view text, double /*alpha*/) const { return encode(text); }
  /// Returns the text of ids below size(), none of them special. The caller repairs invalid UTF-8 in it.
  virtual DecodedText decode(const std::vector<int>& ids) const = 0;

  /// Returns the number of pieces.
  virtual int size() const = 0;
  /// Returns the number of rows of a model's tables: size(), unless a foreign model has more. Rows beyond
  /// size() stand for nothing: no text is encoded to them, and translations must not contain them.
  virtual int rows() const { return size(); }
  /// Returns the id of a piece; nothing for an unknown piece.
  virtual std::optional<int> find(std::string_view piece) const = 0;
  /// Returns the piece of an id below size(), in the form that find() accepts.
  virtual std::string piece(int id) const = 0;
  /// Return the ids of the special tokens: unknown text, BOS if there is one, and EOS.
  virtual int unknown() const = 0;
  virtual std::optional<int> begin() const = 0;
  virtual int end() const = 0;
  /// Whether an id below size() stands for no text.
  virtual bool is_special(int id) const { return id == begin() || id == end(); }

  /// Returns the languages that it has tokens for, and their use; empty for a model of one pair of languages.
  virtual const LanguageUse& language_use() const;
  /// Returns the tokens that a text has because of its languages and its side. Throws UsageError as
  /// LanguageUse::tokens_of() does.
  virtual LanguageTokens language_tokens(Side side, const Languages& languages) const;
};

/// The kinds of vocabularies that can be read. A file that begins with vocabulary_header(kind) is of that
/// kind; any other is a SentencePiece model, as no protocol buffer begins like the header.
class VocabularyKinds {
 public:
  /// Reads the bytes of a file, header included; throws Error with the reason alone if they are damaged.
  using Read = std::function<std::shared_ptr<const VocabularyModel>(std::string bytes)>;

  /// Returns the kinds of the program.
  static VocabularyKinds& instance();

  void add(const std::string& kind, Read read) { kinds_[kind] = std::move(read); }
  /// Reads a vocabulary. Throws Error that calls it `name` if it is damaged or of an unknown kind.
  std::shared_ptr<const VocabularyModel> read(std::string bytes, const std::string& name) const;

 private:
  std::map<std::string, Read, std::less<>> kinds_;  // all kinds except SentencePiece
};

/// Returns the first line of a vocabulary of this kind: "nmt.vocabulary KIND
/// ".
std::string vocabulary_header(std::string_view kind);

}  // namespace nmt
