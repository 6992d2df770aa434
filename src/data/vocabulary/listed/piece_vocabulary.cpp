#include "common/error.h"
#include "data/vocabulary/listed/listed_vocabulary.h"
#include "data/vocabulary/listed/opus_normalization.h"
#include "data/vocabulary/sentencepiece.h"

namespace nmt {
namespace {

/// Replaces U+2581 that is left from pieces of the other side, which only the list contains.
DecodedText with_spaces(const DecodedText& decoded) {
  DecodedText result;
  result.text.reserve(decoded.text.size());
  auto place = decoded.places.begin();
  const auto take_places = [&](std::size_t most) {
    for (; place != decoded.places.end() && *place <= most; ++place)
      result.places.push_back(result.text.size());
  };
  for (std::string_view rest = decoded.text; !rest.empty();) {
    take_places(decoded.text.size() - rest.size());
    const bool is_space = rest.starts_with(kSpaceMark);
    if (!is_space) result.text += rest[0];
    if (is_space && !result.text.empty()) result.text += ' ';
    rest.remove_prefix(is_space ? kSpaceMark.size() : 1);
  }
  take_places(decoded.text.size());
  return result;
}

class PieceVocabulary final : public ListedVocabulary {
 public:
  PieceVocabulary(std::string bytes, ListedFile file)
      : ListedVocabulary(std::move(bytes), std::move(file.facts), static_cast<int>(file.words.size())),
        sentencepiece_(file.sentencepiece),
        words_(std::move(file.words)) {}

  std::vector<int> encode(std::string_view text) const override {
    return ids_of(text, [this](std::string_view rest) { return sentencepiece_.encode<std::string>(rest); });
  }
  std::vector<TextPiece> divide(std::string_view text, double alpha) const override {
    const std::string_view token = language_token(text), rest = text.substr(token.size());
    std::vector<TextPiece> pieces;
    std::vector<std::size_t> places;
    if (facts().normalizes) {
      pieces = sentencepiece_.divide(opus_normalized(rest, &places), alpha);
    } else {
      pieces = sentencepiece_.divide(rest, alpha);
    }
    for (TextPiece& each : pieces) {
      each.id = id_of(each.text);
      each.place = token.size() + (facts().normalizes ? places[each.place] : each.place);
    }
    if (!token.empty()) pieces.insert(pieces.begin(), {std::string(token), id_of(token), 0});
    return pieces;
  }
  bool samples() const override { return sentencepiece_.samples(); }
  std::vector<int> sample(std::string_view text, double alpha) const override {
    return ids_of(text, [this, alpha](std::string_view rest) {
      return sentencepiece_.sample<std::string>(rest, alpha);
    });
  }
  DecodedText decode(const std::vector<int>& ids) const override {
    std::vector<std::string> pieces;
    pieces.reserve(ids.size());
    for (const int id : ids) {
      pieces.push_back(id == unknown() ? sentencepiece_.piece(sentencepiece_.unknown()) : words_[id]);
    }
    return stripped(with_spaces(sentencepiece_.decode(pieces)));
  }

  int size() const override { return words_.size(); }
  std::optional<int> find(std::string_view piece) const override { return words_.find(piece); }
  std::string piece(int id) const override { return words_[id]; }

 private:
  /// Returns the ids of a text: of its language token, if there is one, and of the pieces of the rest.
  template <class Divide>
  std::vector<int> ids_of(std::string_view text, Divide divide) const {
    const std::string_view token = language_token(text);
    text.remove_prefix(token.size());
    std::vector<int> ids;
    if (!token.empty()) ids.push_back(id_of(token));
    for (const std::string& piece : divide(facts().normalizes ? opus_normalized(text) : std::string(text)))
      ids.push_back(id_of(piece));
    return ids;
  }

  /// Returns the language token at the beginning of a text, >>deu<<; empty if there is none.
  std::string_view language_token(std::string_view text) const {
    const std::string_view token = facts().languages.token_in_front(text);
    return words_.find(token) ? token : std::string_view();
  }

  int id_of(std::string_view piece) const {
    const int id = words_.find(piece).value_or(unknown());
    return is_special(id) ? unknown() : id;  // text cannot spell special tokens
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
