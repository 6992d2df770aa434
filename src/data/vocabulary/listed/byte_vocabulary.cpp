#include <unicode/utf8.h>

#include <array>
#include <utility>

#include "common/error.h"
#include "data/vocabulary/listed/added_tokens.h"
#include "data/vocabulary/listed/byte_pairs.h"
#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {
namespace {

/// Removes bytes that are not UTF-8, and moves places accordingly.
void remove_invalid(DecodedText& decoded) {
  const std::string text = std::exchange(decoded.text, std::string());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  std::vector<std::size_t> moved(text.size() + 1);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    UChar32 character = 0;
    U8_NEXT(bytes, i, text.size(), character);
    for (std::size_t at = begin; at < i; ++at)
      moved[at] = decoded.text.size() + (character < 0 ? 0 : at - begin);
    if (character >= 0) decoded.text.append(text, begin, i - begin);
  }
  moved[text.size()] = decoded.text.size();
  for (std::size_t& place : decoded.places) place = moved[place];
}

/// Each byte of a text is a token; the list has bytes as written_bytes() writes them.
class ByteVocabulary final : public ListedVocabulary {
 public:
  ByteVocabulary(std::string bytes, ListedFile file)
      : ListedVocabulary(std::move(bytes), std::move(file.facts), static_cast<int>(file.words.size())),
        words_(std::move(file.words)),
        added_(facts().added, words_) {
    for (std::size_t byte = 0; byte < ids_.size(); ++byte) {
      const std::string written = written_bytes(std::string(1, static_cast<char>(byte)));
      const auto id = words_.find(written);
      if (!id) throw Error("it has no token for the byte {}", byte);
      ids_.at(byte) = *id;
    }
  }

  std::vector<int> encode(std::string_view text) const override {
    std::vector<int> ids;
    for (const TextPiece& piece : divide(text, 0)) ids.push_back(piece.id);
    return ids;
  }
  std::vector<TextPiece> divide(std::string_view text, double /*alpha*/) const override {
    std::vector<TextPiece> pieces;
    std::size_t place = 0;
    const auto add_bytes = [&](std::size_t end) {
      for (; place < end; ++place) {
        const int id = ids_.at(static_cast<unsigned char>(text[place]));
        pieces.push_back({piece(id), id, place});
      }
    };
    while (const auto token = added_.find(text, place)) {
      add_bytes(token->place);
      pieces.push_back({std::string(token->text), token->id, token->place});
      place = token->place + token->text.size();
    }
    add_bytes(text.size());
    return pieces;
  }
  DecodedText decode(const std::vector<int>& ids) const override {
    DecodedText decoded;
    for (const int id : ids) {
      decoded.places.push_back(decoded.text.size());
      decoded.text += read_bytes(words_[id]);
    }
    remove_invalid(decoded);
    return stripped(std::move(decoded));
  }

  int size() const override { return words_.size(); }
  /// Accepts a space written as in other vocabularies.
  std::optional<int> find(std::string_view piece) const override {
    return piece == kSpaceMark ? ids_.at(' ') : words_.find(piece);
  }
  std::string piece(int id) const override {
    return id == ids_.at(' ') ? std::string(kSpaceMark) : words_[id];
  }

 private:
  WordIndex words_;
  AddedTokens added_;
  std::array<int, 256> ids_ = {};
};

}  // namespace

std::shared_ptr<const VocabularyModel> read_byte_vocabulary(std::string bytes) {
  ListedFile file = parse_listed_file(bytes);
  if (!file.sentencepiece.empty() || !file.merges.empty())
    throw Error("bytes need no SentencePiece model and no merges");
  return std::make_shared<ByteVocabulary>(std::move(bytes), std::move(file));
}

}  // namespace nmt
