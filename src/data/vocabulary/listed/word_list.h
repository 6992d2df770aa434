// Lists of words, as in vocabulary files of other toolkits.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/parsed_json.h"

namespace nmt {

/// Words by id, in UTF-8. Unused ids have empty words.
using WordList = std::vector<std::string>;

/// Returns the id of a word, the first one of equal words; nothing for an empty word or an unknown one.
std::optional<int> id_in(const WordList& words, std::string_view word);

/// The following functions read a list that messages call `name`. They throw Error if the list is damaged or
/// malformed, or if a word is not UTF-8. They also throw it if two words have the same id, if a word has two
/// ids, and if many more ids are unused than used.

/// Reads JSON: an object of ids by word (vocab.json), or an array of words.
WordList word_list_from_json(std::string_view bytes, const std::string& name);
/// Reads YAML: a mapping of words to ids with one entry per line, as Marian and its users write it. Words are
/// plain, or in single or double quotes; after `? ` the id may be on the next line. Words such as `null`, `y`
/// or numbers stand for themselves. Other YAML is rejected, except JSON, which YAML includes.
WordList word_list_from_yaml(std::string_view bytes, const std::string& name);
/// Reads one word per line.
WordList word_list_from_lines(std::string_view bytes, const std::string& name);
/// Reads the format that the extension of `name` implies, as in Marian: .yml, .yaml, .json, or else lines.
WordList word_list_from(std::string_view bytes, const std::string& name);

/// Names the ids 0 and 1 of a Marian list </s> and <unk>. Accepts the words </s> and <unk>, `eos` and `UNK`,
/// or none at these ids.
void name_special_words(WordList& words);

/// Puts words at their ids; rejects what is described above.
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
  /// Throws Error with the reason alone if a word is not UTF-8 or occurs twice.
  explicit WordIndex(WordList words);

  int size() const { return static_cast<int>(words_.size()); }
  const std::string& operator[](int id) const { return words_[static_cast<std::size_t>(id)]; }
  /// Returns the id of a word; nothing for an unknown or empty word.
  std::optional<int> find(std::string_view word) const;
  const WordList& words() const { return words_; }

 private:
  WordList words_;
  std::vector<int> sorted_;  // ids sorted by word
};

/// Returns an id or a count. Throws Error for anything else.
inline int whole_number(const nlohmann::json& value) {
  return static_cast<int>(whole_number_in(value, "an id or a count", std::numeric_limits<int>::max()));
}

}  // namespace nmt
