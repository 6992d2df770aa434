#include <unicode/utf8.h>

#include <algorithm>
#include <charconv>

#include "common/error.h"
#include "common/text/spelling.h"
#include "data/vocabulary/listed/word_list.h"

namespace nmt {
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
