#include <algorithm>
#include <utility>

#include "common/error.h"
#include "data/vocabulary/listed/byte_pairs.h"
#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {
namespace {

constexpr std::string_view kWrittenBlank = "\u0120";

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(what, begin), text.size());
    result += text.substr(begin, end - begin);
    if (end < text.size()) result += with;
    begin = end + what.size();
  }
  return result;
}

class BytePairVocabulary final : public ListedVocabulary {
 public:
  BytePairVocabulary(std::string bytes, ListedFile file)
      : ListedVocabulary(std::move(bytes), std::move(file.facts), static_cast<int>(file.words.size())),
        words_(std::move(file.words)),
        pairs_(file.merges, words_) {
    if (!begin()) throw Error("it has no BOS");
  }

  std::vector<int> encode(std::string_view text) const override {
    std::vector<int> ids;
    for (const std::string_view part : parts_of(text)) {
      for (const MergedSymbol& merged : pairs_.encode(part, unknown())) ids.push_back(merged.id);
    }
    return ids;
  }
  std::vector<TextPiece> divide(std::string_view text, double /*alpha*/) const override {
    std::vector<TextPiece> pieces;
    std::size_t place = 0;
    for (const std::string_view part : parts_of(text)) {
      for (const MergedSymbol& merged : pairs_.encode(part, unknown())) {
        pieces.push_back({piece(merged.id), merged.id, place});
        place += merged.count;
      }
    }
    return pieces;
  }
  DecodedText decode(const std::vector<int>& ids) const override {
    DecodedText decoded;
    for (const int id : ids) {
      decoded.places.push_back(decoded.text.size());
      decoded.text += read_bytes(words_[id]);
    }
    return decoded;
  }

  int size() const override { return words_.size(); }
  /// Accepts a space written as in other vocabularies.
  std::optional<int> find(std::string_view piece) const override {
    return words_.find(replaced(piece, kSpaceMark, kWrittenBlank));
  }
  std::string piece(int id) const override { return replaced(words_[id], kWrittenBlank, kSpaceMark); }

  /// Texts of both sides begin with BOS, whatever their language.
  LanguageTokens language_tokens(Side side, const Languages& languages) const override {
    LanguageTokens tokens = ListedVocabulary::language_tokens(side, languages);
    (side == Side::source ? tokens.before : tokens.first).push_back(*begin());
    return tokens;
  }

 private:
  WordIndex words_;
  BytePairs pairs_;
};

}  // namespace

std::shared_ptr<const VocabularyModel> read_byte_pair_vocabulary(std::string bytes) {
  ListedFile file = parse_listed_file(bytes);
  if (!file.sentencepiece.empty()) throw Error("byte pairs need no SentencePiece model");
  return std::make_shared<BytePairVocabulary>(std::move(bytes), std::move(file));
}

}  // namespace nmt
