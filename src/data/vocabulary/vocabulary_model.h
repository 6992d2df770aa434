// What a kind of vocabulary brings: the interface behind Vocabulary, and how its files are recognised.
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

/// A piece of a text that is given.
struct TextPiece {
  std::string text;  // as it is, where no piece covers it; begins with U+2581 where it begins a word
  int id = 0;
  std::size_t place = kNowhere;  // where it begins: a byte of the text, or white space that it follows
};

/// The text of ids, and the byte at which each of them begins, or white space before it.
struct DecodedText {
  std::string text;
  std::vector<std::size_t> places;
};

/// How text becomes ids and ids text. Immutable, and used by several threads at once. Ids are below size(),
/// and mean what this vocabulary says: another kind has other special tokens, under other ids, or no BOS.
/// Whatever text has to go through on its way (normalization, other scripts) is its own affair.
class VocabularyModel {
 public:
  virtual ~VocabularyModel() = default;

  /// The file it was read from, byte for byte: what stands in model files and packed corpora.
  virtual const std::string& bytes() const = 0;

  /// The ids of `text`, without special tokens. Where there are several segmentations, the best.
  virtual std::vector<int> encode(std::string_view text) const = 0;
  /// The pieces that encode() divides `text` into or, where `alpha` is above 0, those that sample() draws.
  virtual std::vector<TextPiece> divide(std::string_view text, double alpha) const = 0;
  /// Whether there is more than one segmentation to draw from: no, unless sample() is there as well.
  virtual bool samples() const { return false; }
  /// The ids of a segmentation drawn at random, where samples(); see Vocabulary::encode_sampled.
  virtual std::vector<int> sample(std::string_view text, double /*alpha*/) const { return encode(text); }
  /// The text of ids below size(), none of them special. What is no UTF-8 in it is repaired by the caller.
  virtual DecodedText decode(const std::vector<int>& ids) const = 0;

  /// Number of pieces.
  virtual int size() const = 0;
  /// Number of rows that the tables of a model have for them: size(), unless a model from elsewhere has more.
  /// Rows beyond size() stand for nothing: no text becomes them, and no translation may hold them.
  virtual int rows() const { return size(); }
  /// The id of a piece; nothing for what is none.
  virtual std::optional<int> find(std::string_view piece) const = 0;
  /// The piece of an id below size(), as find() takes it.
  virtual std::string piece(int id) const = 0;
  /// The ids of the special tokens: for what no piece covers, BOS where there is one, EOS.
  virtual int unknown() const = 0;
  virtual std::optional<int> begin() const = 0;
  virtual int end() const = 0;
  /// Whether an id below size() stands for no text.
  virtual bool is_special(int id) const { return id == begin() || id == end(); }

  /// The languages that it has tokens for, and their use; none: its model is of one pair of languages.
  virtual const LanguageUse& language_use() const;
  /// The tokens of a text because of its languages, and of its side. Throws UsageError as
  /// LanguageUse::tokens_of does.
  virtual LanguageTokens language_tokens(Side side, const Languages& languages) const;
};

/// The kinds of vocabularies that can be read. What begins with vocabulary_header(kind) is of that kind; all
/// else is a SentencePiece model, since no protocol buffer begins as the header does.
class VocabularyKinds {
 public:
  /// Takes the bytes of a file, header included; throws Error with the reason alone when they are damaged.
  using Read = std::function<std::shared_ptr<const VocabularyModel>(std::string bytes)>;

  /// The kinds of the program.
  static VocabularyKinds& instance();

  void add(const std::string& kind, Read read) { kinds_[kind] = std::move(read); }
  /// Reads a vocabulary. Throws Error that calls it `name` when it is damaged or of no known kind.
  std::shared_ptr<const VocabularyModel> read(std::string bytes, const std::string& name) const;

 private:
  std::map<std::string, Read, std::less<>> kinds_;  // beside SentencePiece
};

/// The line that a vocabulary of this kind begins with: "nmt.vocabulary KIND\n".
std::string vocabulary_header(std::string_view kind);

}  // namespace nmt
