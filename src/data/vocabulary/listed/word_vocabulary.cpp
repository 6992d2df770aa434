#include "common/error.h"
#include "common/text/utf8.h"
#include "data/vocabulary/listed/listed_vocabulary.h"

namespace nmt {
namespace {

constexpr const char* kUnknownWord = "⁇";

class WordVocabulary final : public ListedVocabulary {
 public:
  WordVocabulary(std::string bytes, ListedFile file)
      : ListedVocabulary(std::move(bytes), std::move(file.facts), static_cast<int>(file.words.size())),
        words_(std::move(file.words)) {}

  std::vector<int> encode(std::string_view text) const override {
    std::vector<int> ids;
    for_each_word(text, [&](std::string_view word) { ids.push_back(id_of(word)); });
    return ids;
  }
  std::vector<TextPiece> divide(std::string_view text, double /*alpha*/) const override {
    std::vector<TextPiece> pieces;
    for_each_word(text, [&](std::string_view word) {
      pieces.push_back({std::string(kSpaceMark).append(word), id_of(word),
                        static_cast<std::size_t>(word.data() - text.data())});
    });
    return pieces;
  }
  DecodedText decode(const std::vector<int>& ids) const override {
    DecodedText decoded;
    for (const int id : ids) {
      if (!decoded.text.empty()) decoded.text += ' ';
      decoded.places.push_back(decoded.text.size());
      decoded.text += id == unknown() ? kUnknownWord : words_[id];
    }
    return decoded;
  }

  int size() const override { return words_.size(); }
  std::optional<int> find(std::string_view piece) const override {
    const bool begins_word = piece.starts_with(kSpaceMark);
    const auto id = words_.find(begins_word ? piece.substr(kSpaceMark.size()) : piece);
    return id && begins_word == is_word(*id) ? id : std::nullopt;
  }
  std::string piece(int id) const override {
    return is_word(id) ? std::string(kSpaceMark) + words_[id] : words_[id];
  }

 private:
  int id_of(std::string_view word) const {
    const int id = words_.find(word).value_or(unknown());
    return is_special(id) && !facts().spells_special ? unknown() : id;
  }
  /// Visits the words between single spaces; between adjacent spaces there is an empty word.
  template <class Visit>
  static void for_each_word(std::string_view text, Visit visit) {
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find(' '));
      if (!word.empty()) visit(word);
      text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
  }
  bool is_word(int id) const { return !is_special(id) && id != unknown() && !words_[id].empty(); }

  WordIndex words_;
};

}  // namespace

std::shared_ptr<const VocabularyModel> read_word_vocabulary(std::string bytes) {
  ListedFile file = parse_listed_file(bytes);
  if (!file.sentencepiece.empty() || !file.merges.empty() || file.facts.moses)
    throw Error("a list of words needs no other files");
  return std::make_shared<WordVocabulary>(std::move(bytes), std::move(file));
}

}  // namespace nmt
