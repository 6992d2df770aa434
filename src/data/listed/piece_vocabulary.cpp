#include "common/error.h"
#include "data/listed/listed_vocabulary.h"
#include "data/listed/opus_normalization.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {
namespace {

/// Text in which U+2581 may be left of pieces that only the list knows, those of the other side.
std::string with_blanks(const std::string& decoded) {
  constexpr std::string_view kBlank = "\u2581";
  std::string text;
  text.reserve(decoded.size());
  for (std::string_view rest = decoded; !rest.empty();) {
    const bool is_space = rest.starts_with(kBlank);
    if (!is_space) text += rest[0];
    if (is_space && !text.empty()) text += ' ';
    rest.remove_prefix(is_space ? kBlank.size() : 1);
  }
  return text;
}

class PieceVocabulary final : public ListedVocabulary {
 public:
  PieceVocabulary(std::string bytes, ListedFile file)
      : ListedVocabulary(std::move(bytes), std::move(file.facts), static_cast<int>(file.words.size())),
        sentencepiece_(file.sentencepiece),
        words_(std::move(file.words)) {}

  std::vector<int> encode(std::string_view text) const override { return ids_of(pieces(text)); }
  std::vector<std::string> pieces(std::string_view text) const override {
    return divided(text, [this](std::string_view rest) { return sentencepiece_.encode<std::string>(rest); });
  }
  bool samples() const override { return sentencepiece_.samples(); }
  std::vector<int> sample(std::string_view text, double alpha) const override {
    return ids_of(divided(text, [this, alpha](std::string_view rest) {
      return sentencepiece_.sample<std::string>(rest, alpha);
    }));
  }
  std::string decode(const std::vector<int>& ids) const override {
    std::vector<std::string> pieces;
    pieces.reserve(ids.size());
    for (const int id : ids) {
      pieces.push_back(id == unknown() ? sentencepiece_.piece(sentencepiece_.unknown()) : words_[id]);
    }
    return stripped(with_blanks(sentencepiece_.decode(pieces)));
  }

  int size() const override { return words_.size(); }
  std::optional<int> find(std::string_view piece) const override { return words_.find(piece); }
  std::string piece(int id) const override { return words_[id]; }

 private:
  /// The pieces of a text: the token of a language that it begins with, and those of what follows.
  template <class Divide>
  std::vector<std::string> divided(std::string_view text, Divide divide) const {
    const std::string_view token = language_token(text);
    text.remove_prefix(token.size());
    std::vector<std::string> pieces = divide(facts().normalizes ? opus_normalized(text) : std::string(text));
    if (!token.empty()) pieces.insert(pieces.begin(), std::string(token));
    return pieces;
  }

  /// The token of a language that a text begins with, >>deu<<; empty where there is none.
  std::string_view language_token(std::string_view text) const {
    const std::string_view token = facts().languages.token_in_front(text);
    return words_.find(token) ? token : std::string_view();
  }

  std::vector<int> ids_of(const std::vector<std::string>& pieces) const {
    std::vector<int> ids;
    ids.reserve(pieces.size());
    for (const std::string& piece : pieces) {
      const int id = words_.find(piece).value_or(unknown());
      ids.push_back(is_special(id) ? unknown() : id);  // text does not spell special tokens
    }
    return ids;
  }

  SentencePiece sentencepiece_;
  WordIndex words_;
};

}  // namespace

std::shared_ptr<const VocabularyModel> read_piece_vocabulary(std::string bytes) {
  ListedFile file = parse_listed_file(bytes);
  if (!file.merges.empty()) throw Error("a SentencePiece model needs no merges");
  return std::make_shared<PieceVocabulary>(std::move(bytes), std::move(file));
}

}  // namespace nmt
