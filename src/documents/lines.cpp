#include "documents/lines.h"

#include <unicode/unistr.h>

#include <algorithm>

#include "common/text/utf8.h"
#include "common/text/words.h"
#include "data/text/white_space.h"

namespace nmt {

DocumentLine take_document_line(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_of("\r\n"), text.size());
  const std::string_view rest = text.substr(size);
  const std::size_t end = rest.starts_with("\r\n") ? 2 : std::min<std::size_t>(rest.size(), 1);
  const DocumentLine line{text.substr(0, size), rest.substr(0, end)};
  text.remove_prefix(size + end);
  return line;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = characters_in(text);
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == text.npos) break;
    columns -= characters_in(text.substr(at, end + 1 - at));
    at = end;
  }
  return columns;
}

std::size_t columns_of(const std::vector<std::string_view>& lines) {
  std::size_t most = 0;
  for (const std::string_view line : lines) most = std::max(most, columns_of(line));
  return most;
}

std::string broken(std::string_view text, std::size_t columns, std::string_view end,
                   bool (*may_begin)(std::string_view word)) {
  std::string lines;
  std::size_t begin = 0;  // of the last line
  for (const std::string_view word : words_in(text)) {
    if (lines.size() > begin) {
      const std::string_view line = std::string_view(lines).substr(begin);
      const bool is_full = columns_of(line) + 1 + columns_of(word) > columns;
      if (is_full && (may_begin == nullptr || may_begin(word))) {
        lines += end;
        begin = lines.size();
      } else {
        lines += ' ';
      }
    }
    lines += word;
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
  std::string words;
  for (const std::string_view word : words_in(text)) {
    if (!words.empty()) words += ' ';
    words += word;
  }
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
