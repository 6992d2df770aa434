#include "documents/lines.h"

#include <unicode/unistr.h>

#include <algorithm>
#include <utility>

#include "common/text/words.h"
#include "data/text/white_space.h"

namespace nmt {
namespace {

/// Counts the columns of a line whose parts are added.
class Columns {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // a character of UTF-8
      if (c == '<') tag_ = std::min(tag_, count_);
      if (!continues) ++count_;
      if (c == '>') count_ = std::min(count_, std::exchange(tag_, kNone));
    }
  }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;
  std::size_t count_ = 0, tag_ = kNone;  // the columns before a tag that has begun
};

}  // namespace

DocumentLine take_document_line(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view rest = text.substr(size);
  const std::size_t end = rest.starts_with("\r\n") ? 2 : std::min<std::size_t>(rest.size(), 1);
  const DocumentLine line{text.substr(0, size), rest.substr(0, end)};
  text.remove_prefix(size + end);
  return line;
}

std::size_t columns_of(std::string_view text) {
  Columns columns;
  columns.add(text);
  return columns.count();
}

std::size_t columns_of(const std::vector<std::string_view>& lines) {
  std::size_t most = 0;
  for (const std::string_view line : lines) most = std::max(most, columns_of(line));
  return most;
}

std::string broken(std::string_view text, std::size_t columns, std::string_view end,
                   bool (*may_begin)(std::string_view word)) {
  std::string lines;
  Columns line;  // the last one
  for (const std::string_view word : words_in(text)) {
    if (!lines.empty()) {
      const bool is_full = line.count() + 1 + columns_of(word) > columns;
      if (is_full && (may_begin == nullptr || may_begin(word))) {
        lines += end;
        line = {};
      } else {
        lines += ' ';
        line.add(" ");
      }
    }
    lines += word;
    line.add(word);
  }
  return lines;
}

std::string joined(const std::vector<std::string_view>& lines) {
  std::string text;
  for (const std::string_view line : lines) {
    const std::string_view inner = without_outer_space(line);
    if (!text.empty() && !inner.empty()) text += ' ';
    text += inner;
  }
  return text;
}

std::string folded_words(std::string_view text) {
  const std::string words = joined(words_in(text));
  std::string folded;
  return icu::UnicodeString::fromUTF8({words.data(), static_cast<std::int32_t>(words.size())})
      .foldCase()
      .toUTF8String(folded);
}

bool is_broken(const std::vector<std::string_view>& lines) {
  if (lines.size() < 2) return false;
  std::string all;
  for (const std::string_view line : lines) {
    if (!all.empty()) all += '\n';
    all += without_outer_space(line);
  }
  return broken(joined(lines), columns_of(lines), "\n") == all;
}

}  // namespace nmt
