// Lists of words, as other toolkits keep vocabularies in files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nmt {

/// Words by id, all of them UTF-8. Ids that nothing stands for have empty ones.
using WordList = std::vector<std::string>;

/// The id of a word, the first one of equal ones; nothing for an empty one.
std::optional<int> id_in(const WordList& words, std::string_view word);

/// The following read a list that messages call `name`. They throw Error when it is damaged or not of its
/// form, when a word is no UTF-8, when two have the same id or an id has two, and when many more ids are left
/// out than there are.

/// JSON: an object of ids by word (vocab.json), or an array of words.
WordList word_list_from_json(std::string_view bytes, const std::string& name);
/// YAML: a mapping of words to ids, an entry a line, as Marian and its users write it. Words are plain, or in
/// single or double quotes, behind `? ` also with their id in the next line; they stand for themselves, be it
/// `null`, `y` or a number. All else of YAML is refused, but for JSON, which it includes.
WordList word_list_from_yaml(std::string_view bytes, const std::string& name);
/// A word a line.
WordList word_list_from_lines(std::string_view bytes, const std::string& name);
/// The form that the ending of `name` tells, as Marian does: .yml, .yaml, .json, or else lines.
WordList word_list_from(std::string_view bytes, const std::string& name);

/// Gives the ids 0 and 1 of a list of Marian's the names </s> and <unk>: it takes these words, `eos` and
/// `UNK`, and none at all, for the special tokens.
void name_special_words(WordList& words);

/// Puts words in the places of their ids; see above for what it refuses.
class WordListBuilder {
 public:
  explicit WordListBuilder(const std::string& name) : name_(name) {}

  void add(std::string word, std::uint64_t id);
  WordList finish();

 private:
  const std::string& name_;
  std::vector<std::pair<std::uint64_t, std::string>> entries_;
};

/// Finds the ids of words.
class WordIndex {
 public:
  /// Throws Error with the reason alone when a word is no UTF-8 or is there twice.
  explicit WordIndex(WordList words);

  int size() const { return static_cast<int>(words_.size()); }
  const std::string& operator[](int id) const { return words_[static_cast<std::size_t>(id)]; }
  /// Nothing for what is none, and for the empty word.
  std::optional<int> find(std::string_view word) const;
  const WordList& words() const { return words_; }

 private:
  WordList words_;
  std::vector<int> sorted_;  // ids by word
};

}  // namespace nmt
