#include "data/vocabulary/listed/word_list.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "common/error.h"
#include "common/text/lines.h"
#include "common/text/number.h"
#include "common/text/spelling.h"
#include "common/text/strict_json.h"
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
    const std::string_view line = take_line(bytes);
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

namespace {

/// Reads an object of words and their numbers, or an array of words.
class WordReader : public StrictJson {
 public:
  explicit WordReader(const std::string& name) : name_(name), list_(name) {}

  WordList finish() { return list_.finish(); }

  bool start_object(std::size_t /*size*/) override {
    if (std::exchange(is_open_, true)) unexpected("an object");
    return true;
  }
  bool key(std::string& text) override {
    word_ = std::move(text);
    return true;
  }
  bool number_unsigned(std::uint64_t number) override {
    if (!is_open_ || is_array_) unexpected("a number");
    list_.add(std::move(word_), number);
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    if (std::exchange(is_open_, true)) unexpected("an array");
    is_array_ = true;
    return true;
  }
  bool string(std::string& text) override {
    if (!is_array_) unexpected("a text");
    list_.add(std::move(text), count_++);
    return true;
  }

 private:
  DamagedFile unfit(const char* what) const override {
    const std::string where = word_.empty() ? "" : " at the word " + quoted(word_);
    return DamagedFile("'{}' is not a list of words: it holds {}{}", name_, what, where);
  }
  DamagedFile broken(std::size_t position) const override {
    return DamagedFile("'{}' is not valid JSON at its byte {}", name_, position);
  }

  const std::string& name_;
  WordListBuilder list_;
  bool is_open_ = false, is_array_ = false;
  std::string word_;         // waits for its id
  std::uint64_t count_ = 0;  // number of words of an array
};

}  // namespace

WordList word_list_from_json(std::string_view bytes, const std::string& name) {
  WordReader reader(name);
  nlohmann::json::sax_parse(bytes.begin(), bytes.end(), &reader);
  return reader.finish();
}

namespace {

constexpr std::string_view kBlanks = " \t";

/// The one-letter escapes in double quotes, with the characters that they stand for.
constexpr std::pair<char, char32_t> kEscapes[] = {
    {'a', 0x07},  {'b', 0x08}, {'t', 0x09}, {'\t', 0x09},  {'n', 0x0A},  {'v', 0x0B},
    {'f', 0x0C},  {'r', 0x0D}, {'e', 0x1B}, {' ', ' '},    {'"', '"'},   {'/', '/'},
    {'\\', '\\'}, {'N', 0x85}, {'_', 0xA0}, {'L', 0x2028}, {'P', 0x2029}};

/// Appends a character as UTF-8. An invalid character gives invalid UTF-8, which the list rejects.
void append(std::string& text, char32_t character) {
  char sequence[U8_MAX_LENGTH];
  std::size_t length = 0;
  U8_APPEND_UNSAFE(sequence, length, static_cast<UChar32>(character));
  text.append(sequence, length);
}

/// Reads the mapping for word_list_from_yaml().
class YamlReader {
 public:
  YamlReader(std::string_view text, const std::string& name) : rest_(text), name_(name), list_(name) {}

  WordList read() {
    for (skip_lines(); !rest_.empty(); skip_lines()) entry();
    return list_.finish();
  }

 private:
  /// Skips empty lines, comments, and document marks between entries.
  void skip_lines() {
    while (!rest_.empty()) {
      const std::string_view line = rest_.substr(0, rest_.find('\n'));
      const std::size_t text = std::min(line.find_first_not_of(" \t\r"), line.size());
      const bool is_mark = line.starts_with("---") || line.starts_with("...") || line.starts_with("%YAML");
      if (text < line.size() && line[text] != '#' && !(is_mark && line.find(':') == line.npos)) return;
      next_line();
    }
  }

  void entry() {
    const bool is_explicit = take("? ");
    skip_blanks();
    std::string word = scalar(is_explicit);
    if (is_explicit) end_line();
    skip_blanks();
    if (!take(":")) fail("a word without an id");
    if (!rest_.starts_with(' ')) fail("no space between a word and its id");
    skip_blanks();
    std::uint64_t id = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), id);
    if (code != std::errc()) fail("no id after the word " + quoted(word));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    end_line();
    list_.add(std::move(word), id);
  }

  std::string scalar(bool is_line) {
    if (take("'")) return single_quoted();
    if (take("\"")) return double_quoted();
    return plain(is_line);
  }

  /// Reads a word without quotes: the whole line, or up to a colon followed by a space.
  std::string plain(bool is_line) {
    const std::string_view line = rest_.substr(0, rest_.find_first_of("\r\n"));
    const std::size_t size = is_line ? line.size() : std::min(line.find(": "), line.size());
    std::string_view word = line.substr(0, size);
    word = word.substr(0, word.find_last_not_of(kBlanks) + 1);
    const bool is_item = word == "-" || word.starts_with("- ");
    if (word.empty() || is_item ||
        std::string_view("[]{},#&*!|>%@`").find(word[0]) != std::string_view::npos ||
        word.find(" #") != word.npos) {
      fail("a word that YAML does not have without quotes");
    }
    rest_.remove_prefix(size);
    return std::string(word);
  }

  std::string single_quoted() {
    std::string word;
    while (true) {
      const std::size_t size = rest_.find_first_of("'\n");
      if (size == rest_.npos || rest_[size] == '\n') fail("a quote that does not end in its line");
      word += rest_.substr(0, size);
      rest_.remove_prefix(size + 1);
      if (!take("'")) return word;
      word += '\'';
    }
  }

  std::string double_quoted() {
    std::string word;
    while (true) {
      const std::size_t size = rest_.find_first_of("\"\\\n");
      if (size == rest_.npos || rest_[size] == '\n') fail("a quote that does not end in its line");
      word += rest_.substr(0, size);
      const char found = rest_[size];
      rest_.remove_prefix(size + 1);
      if (found == '"') return word;
      escape(word);
    }
  }

  /// Reads what follows a backslash: a character, or the end of a line that continues in the next one.
  void escape(std::string& word) {
    if (take("\r\n") || take("\n")) {
      ++line_;
      return skip_blanks();
    }
    const char letter = rest_.empty() ? '\0' : rest_[0];
    for (const auto& [name, character] : kEscapes) {
      if (name != letter) continue;
      rest_.remove_prefix(1);
      return append(word, character);
    }
    constexpr int kHexadecimal = 16;
    const std::size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    const std::string_view number = rest_.substr(std::min<std::size_t>(1, rest_.size()), digits);
    std::uint32_t character = 0;
    const auto [end, code] =
        std::from_chars(number.data(), number.data() + number.size(), character, kHexadecimal);
    if (digits == 0 || number.size() < digits || code != std::errc() || end != number.data() + digits) {
      fail("an unknown escape");
    }
    rest_.remove_prefix(1 + digits);
    append(word, character);
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size())); }

  /// Moves to the next line; only a comment may precede it.
  void end_line() {
    const bool has_blank = rest_.find_first_of(kBlanks) == 0;
    skip_blanks();
    const bool is_comment = has_blank && rest_.starts_with('#');
    if (!is_comment && !rest_.empty() && !rest_.starts_with('\n') && !rest_.starts_with("\r\n")) {
      fail("more than a word and its id");
    }
    next_line();
  }
  void next_line() {
    const std::size_t end = rest_.find('\n');
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++line_;
  }

  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error("'{}', line {}: {}; write `\"word\": id`", name_, line_, what);
  }

  std::string_view rest_;
  const std::string& name_;
  WordListBuilder list_;
  int line_ = 1;
};

}  // namespace

WordList word_list_from_yaml(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  if (first != bytes.npos && (bytes[first] == '{' || bytes[first] == '[')) {
    return word_list_from_json(bytes, name);
  }
  return YamlReader(bytes, name).read();
}

}  // namespace nmt
