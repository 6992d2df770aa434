// The least vocabulary there is: a list of words, with the special tokens that Marian has. It shows what
// another kind of vocabulary has to bring, and that nothing outside knows the first one.
#pragma once

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

#include "common/error.h"
#include "data/vocabulary/vocabulary_model.h"

namespace nmt::testing {

/// Words stand between blanks, EOS is 0, the unknown word is 1, and there is no BOS. Its file has the number
/// of rows after the header, then a word a line.
class WordList final : public VocabularyModel {
 public:
  explicit WordList(std::string bytes) : bytes_(std::move(bytes)) {
    std::istringstream lines(bytes_);
    std::string line;
    std::getline(lines, line);
    std::getline(lines, line);
    std::from_chars(line.data(), line.data() + line.size(), rows_);
    while (std::getline(lines, line)) words_.push_back(line);
    if (size() < 2 || rows_ < size()) throw Error("it has {} words and {} rows", size(), rows_);
  }

  const std::string& bytes() const override { return bytes_; }

  std::vector<int> encode(std::string_view text) const override {
    std::vector<int> ids;
    for (const std::string& word : words_of(text)) ids.push_back(id_of(word).value_or(unknown()));
    return ids;
  }
  std::vector<std::string> pieces(std::string_view text) const override {
    std::vector<std::string> pieces;
    for (const std::string& word : words_of(text)) pieces.push_back(kSpace + word);
    return pieces;
  }
  std::string decode(const std::vector<int>& ids) const override {
    std::string text;
    for (const int id : ids) {
      if (id != end()) text += (text.empty() ? "" : " ") + words_[static_cast<std::size_t>(id)];
    }
    return text;
  }

  int size() const override { return static_cast<int>(words_.size()); }
  int rows() const override { return rows_; }
  std::optional<int> find(std::string_view piece) const override {
    return piece.starts_with(kSpace) ? id_of(piece.substr(kSpace.size())) : std::nullopt;
  }
  std::string piece(int id) const override { return kSpace + words_[static_cast<std::size_t>(id)]; }
  int unknown() const override { return 1; }
  std::optional<int> begin() const override { return {}; }
  int end() const override { return 0; }

 private:
  static std::vector<std::string> words_of(std::string_view text) {
    std::istringstream words{std::string(text)};
    return {std::istream_iterator<std::string>(words), {}};
  }
  std::optional<int> id_of(std::string_view word) const {
    const auto found = std::find(words_.begin(), words_.end(), word);
    return found == words_.end() ? std::nullopt : std::optional(static_cast<int>(found - words_.begin()));
  }

  inline static const std::string kSpace = "\u2581";
  std::string bytes_;
  std::vector<std::string> words_;
  int rows_ = 0;
};

/// The words of a text as the file of a WordList, with `unused` rows behind them.
inline std::string word_list_of(const std::string& text, int unused = 0) {
  std::vector<std::string> words = {"</s>", "<unk>"};
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  std::string bytes = vocabulary_header("words") + std::to_string(std::ssize(words) + unused) + "\n";
  for (const std::string& word : words) bytes += word + "\n";
  return bytes;
}

/// Lets vocabularies of this kind be read while it lives.
class WithWordLists {
 public:
  WithWordLists() {
    VocabularyKinds::instance().add(
        "words", [](std::string bytes) { return std::make_shared<WordList>(std::move(bytes)); });
  }
  ~WithWordLists() { VocabularyKinds::instance() = before_; }
  WithWordLists(const WithWordLists&) = delete;
  WithWordLists& operator=(const WithWordLists&) = delete;

 private:
  VocabularyKinds before_ = VocabularyKinds::instance();
};

}  // namespace nmt::testing
