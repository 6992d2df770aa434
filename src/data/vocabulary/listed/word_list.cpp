#include "data/vocabulary/listed/word_list.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/error.h"
#include "common/text/plural.h"
#include "common/text/spelling.h"
#include "common/text/utf8.h"

namespace nmt {
namespace {

constexpr std::size_t kMostWords = 10'000'000;
constexpr std::size_t kFewWords = 2;          // too few to tell words from sentences
constexpr std::size_t kMostUnused = 100'000;  // ids; a list may be part of a larger one

bool ends_in(const std::string& name, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

std::optional<int> id_in(const WordList& words, std::string_view word) {
  const auto found = std::ranges::find(words, word);
  if (word.empty() || found == words.end()) return std::nullopt;
  return static_cast<int>(found - words.begin());
}

WordList word_list_from_lines(std::string_view bytes, const std::string& name) {
  WordListBuilder list(name);
  std::uint64_t id = 0, sentences = 0;
  for (; !bytes.empty(); ++id) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(bytes.size(), line.size() + 1));
    sentences += line.find(' ') != line.npos ? 1 : 0;
    list.add(std::string(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line), id);
  }
  if (id > kFewWords && 2 * sentences > id)
    throw Error("'{}' is text, not a list with one word per line; name a vocabulary", name);
  return list.finish();
}

WordList word_list_from(std::string_view bytes, const std::string& name) {
  if (ends_in(name, {".yml", ".yaml"})) return word_list_from_yaml(bytes, name);
  if (ends_in(name, {".json"})) return word_list_from_json(bytes, name);
  return word_list_from_lines(bytes, name);
}

void name_special_words(WordList& words) {
  words.resize(std::max<std::size_t>(words.size(), 2));
  std::string &end = words[0], &unknown = words[1];
  if (end.empty() || end == "eos") end = "</s>";
  if (unknown.empty() || unknown == "UNK") unknown = "<unk>";
}

void WordListBuilder::add(std::string word, std::uint64_t id) {
  if (id >= kMostWords) throw Error("'{}': the id {} is too large", name_, id);
  entries_.emplace_back(id, std::move(word));
}

WordList WordListBuilder::finish() {
  if (entries_.empty()) throw Error("'{}' has no words", name_);
  const auto last = static_cast<std::size_t>(std::ranges::max_element(entries_)->first);
  if (last > 2 * entries_.size() + kMostUnused) {
    throw Error("'{}' has {}, but ids up to {}", name_, count_of(entries_.size(), "word"), last);
  }
  WordList words(last + 1);
  std::vector<bool> is_taken(last + 1);
  for (auto& [id, word] : entries_) {
    const auto place = static_cast<std::size_t>(id);
    if (is_taken[place]) throw Error("'{}': two words have the id {}", name_, id);
    is_taken[place] = true;
    words[place] = std::move(word);
  }
  try {
    return WordIndex(std::move(words)).words();
  } catch (const Error& error) {
    throw Error("'{}': {}", name_, error.what());
  }
}

WordIndex::WordIndex(WordList words) : words_(std::move(words)), sorted_(words_.size()) {
  if (words_.size() > kMostWords) throw Error("it has too many words");
  std::iota(sorted_.begin(), sorted_.end(), 0);
  const auto word = [this](int id) -> const std::string& { return (*this)[id]; };
  std::ranges::sort(sorted_, {}, word);
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    const std::string& here = word(sorted_[i]);
    if (count_invalid_utf8(here) > 0) throw Error("the word {} is not valid UTF-8", quoted(here));
    if (i > 0 && !here.empty() && here == word(sorted_[i - 1])) {
      throw Error("the word {} occurs twice", quoted(here));
    }
  }
}

std::optional<int> WordIndex::find(std::string_view word) const {
  const auto found =
      std::ranges::lower_bound(sorted_, word, {}, [this](int id) -> std::string_view { return (*this)[id]; });
  if (word.empty() || found == sorted_.end() || (*this)[*found] != word) return std::nullopt;
  return *found;
}

}  // namespace nmt
