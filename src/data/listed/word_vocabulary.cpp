#include "common/error.h"
#include "common/text/utf8.h"
#include "data/listed/listed_vocabulary.h"

namespace nmt {
namespace {

constexpr std::string_view kSpaceOfWord = "\u2581";
constexpr const char* kUnknownWord = "⁇";

class WordVocabulary final : public ListedVocabulary {
 public:
  WordVocabulary(std::string bytes, ListedFile file)
      : ListedVocabulary(std::move(bytes), std::move(file.facts), static_cast<int>(file.words.size())),
        words_(std::move(file.words)) {}

  std::vector<int> encode(std::string_view text) const override {
    std::vector<int> ids;
    for_each_word(text, [&](std::string_view word) {
      const int id = words_.find(word).value_or(unknown());
      ids.push_back(is_special(id) && !facts().spells_special ? unknown() : id);
    });
    return ids;
  }
  std::vector<std::string> pieces(std::string_view text) const override {
    std::vector<std::string> pieces;
    for_each_word(text,
                  [&](std::string_view word) { pieces.push_back(std::string(kSpaceOfWord).append(word)); });
    return pieces;
  }
  std::string decode(const std::vector<int>& ids) const override {
    std::string text;
    for (const int id : ids) {
      if (!text.empty()) text += ' ';
      text += id == unknown() ? kUnknownWord : words_[id];
    }
    return text;
  }

  int size() const override { return words_.size(); }
  std::optional<int> find(std::string_view piece) const override {
    const bool begins_word = piece.starts_with(kSpaceOfWord);
    const auto id = words_.find(begins_word ? piece.substr(kSpaceOfWord.size()) : piece);
    return id && begins_word == is_word(*id) ? id : std::nullopt;
  }
  std::string piece(int id) const override {
    return is_word(id) ? std::string(kSpaceOfWord) + words_[id] : words_[id];
  }

 private:
  /// What stands between single blanks; where there are several, nothing stands between them.
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
    throw Error("a list of words has nothing beside it");
  return std::make_shared<WordVocabulary>(std::move(bytes), std::move(file));
}

}  // namespace nmt
