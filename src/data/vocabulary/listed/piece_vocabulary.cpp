#include <algorithm>

#include "common/error.h"
#include "data/vocabulary/listed/added_tokens.h"
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
        words_(std::move(file.words)),
        added_(facts().added, words_) {
    for (int id = 0; id < size(); ++id) {  // unused ids stand for no text, either
      if (words_[id].empty()) make_special(id);
    }
  }

  std::vector<int> encode(std::string_view text) const override {
    return ids_of(text, [this](std::string_view rest) { return sentencepiece_.encode<std::string>(rest); });
  }
  std::vector<TextPiece> divide(std::string_view text, double alpha) const override {
    std::vector<TextPiece> all;
    visit(
        text,
        [&](const FoundToken& token) {
          all.push_back({std::string(token.text), token.id, token.place});
        },
        [&](std::string_view part, std::size_t begin) {
          std::vector<std::size_t> places;
          std::vector<TextPiece> pieces =
              sentencepiece_.divide(facts().normalizes ? opus_normalized(part, &places) : part, alpha);
          for (TextPiece& each : pieces) {
            each.id = id_of(each.text);
            each.place = begin + (facts().normalizes ? places[each.place] : each.place);
            all.push_back(std::move(each));
          }
        });
    return all;
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
  /// Calls on_token(found) for the language token of a text and its added tokens, and on_text(part, first
  /// byte) for each part of the text between them, in order.
  template <class OnToken, class OnText>
  void visit(std::string_view text, const OnToken& on_token, const OnText& on_text) const {
    std::size_t place = 0;
    const auto take = [&](const FoundToken& token) {
      on_token(token);
      place = token.place + token.text.size();
    };
    if (facts().begins_with_languages) {
      for (const FoundToken& token : languages_in_front(text)) take(token);
      return on_text(text.substr(place), place);
    }
    if (const std::string_view token = language_token(text); !token.empty()) take({token, id_of(token), 0});
    while (const auto token = added_.find(text, place)) {
      on_text(text.substr(place, token->place - place), place);
      take(*token);
    }
    on_text(text.substr(place), place);
  }

  /// Returns the two languages at the beginning of a text; nothing if it is empty. Throws UsageError if there
  /// are none.
  std::vector<FoundToken> languages_in_front(std::string_view text) const {
    std::vector<FoundToken> found;
    for (std::size_t place = 0; found.size() < 2 && !text.empty();) {
      place = std::min(place, text.size());
      const auto token = added_.find(text, place);
      const std::size_t end = token ? token->place + token->text.size() : 0;
      if (!token || token->place != place || (end < text.size() && text[end] != ' ')) {
        throw UsageError(
            "'{}' is not the language of a text or its translation, with which a text for this model begins, "
            "such as 'hin_Deva eng_Latn': nmt does not normalize and transliterate text as IndicTransToolkit "
            "does; translate the lines that its IndicProcessor.preprocess_batch() returns",
            text.substr(place, text.find(' ', place) - place));
      }
      found.push_back(*token);
      place = end + 1;
    }
    return found;
  }

  /// Returns the ids of a text: of its tokens, and of the pieces into which divide(part) divides the others.
  template <class Divide>
  std::vector<int> ids_of(std::string_view text, Divide divide) const {
    std::vector<int> ids;
    visit(
        text, [&](const FoundToken& token) { ids.push_back(token.id); },
        [&](std::string_view part, std::size_t) {
          for (const std::string& piece :
               divide(facts().normalizes ? opus_normalized(part) : std::string(part)))
            ids.push_back(id_of(piece));
        });
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
  AddedTokens added_;
};

}  // namespace

std::shared_ptr<const VocabularyModel> read_piece_vocabulary(std::string bytes) {
  ListedFile file = parse_listed_file(bytes);
  if (!file.merges.empty()) throw Error("a SentencePiece model needs no merges");
  return std::make_shared<PieceVocabulary>(std::move(bytes), std::move(file));
}

}  // namespace nmt
