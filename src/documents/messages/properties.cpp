// Files of properties of Java.
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>

#include "documents/formats.h"
#include "documents/lines.h"
#include "documents/messages/messages.h"

namespace nmt {
namespace {

constexpr std::string_view kPropertySpace = " \t\f";

/// Returns the length of a logical line, whose physical lines but the last end with an odd number of "\".
std::size_t size_of_property(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const DocumentLine line = take_document_line(rest);
    const std::size_t last = line.text.find_last_not_of('\\');
    const std::size_t marks = line.text.size() - (last == line.text.npos ? 0 : last + 1);
    if (marks % 2 == 0) return text.size() - rest.size() - line.end.size();
  }
  return text.size();
}

/// Returns the place after a key, the space and the "=" or ":" that follow it.
std::size_t begin_of_value(std::string_view line) {
  std::size_t i = std::min(line.find_first_not_of(kPropertySpace), line.size());
  while (i < line.size() && line[i] != '=' && line[i] != ':' && kPropertySpace.find(line[i]) == line.npos)
    i += line[i] == '\\' ? 2 : 1;
  i = std::min(line.find_first_not_of(kPropertySpace, i), line.size());
  if (i < line.size() && (line[i] == '=' || line[i] == ':')) ++i;
  return std::min(line.find_first_not_of(kPropertySpace, i), line.size());
}

std::string property_text(std::string_view value) {
  icu::UnicodeString text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (i + 1 == value.size() || value[i] != '\\') {
      const std::size_t end = std::min(value.find('\\', i + 1), value.size());
      text += icu::UnicodeString::fromUTF8({value.data() + i, static_cast<std::int32_t>(end - i)});
      i = end - 1;
      continue;
    }
    switch (const char c = value[++i]) {
      case 'n':
        text += u'\n';
        break;
      case 't':
        text += u'\t';
        break;
      case 'r':
        text += u'\r';
        break;
      case 'f':
        text += u'\f';
        break;
      case 'u': {
        std::uint16_t unit = 0;
        const std::string_view digits = value.substr(i + 1, 4);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
        if (digits.size() == 4 && end == digits.data() + 4) {
          text += static_cast<char16_t>(unit);
          i += 4;
        } else {
          text += u'u';
        }
        break;
      }
      case '\r':
      case '\n':
        if (c == '\r' && i + 1 < value.size() && value[i + 1] == '\n') ++i;
        i = std::min(value.find_first_not_of(kPropertySpace, i + 1), value.size()) - 1;
        break;
      default: {
        const std::size_t size =
            std::min<std::size_t>(value.size() - i, 1 + U8_COUNT_TRAIL_BYTES(static_cast<std::uint8_t>(c)));
        text += icu::UnicodeString::fromUTF8({value.data() + i, static_cast<std::int32_t>(size)});
        i += size - 1;
      }
    }
  }
  std::string result;
  return text.toUTF8String(result);
}

/// Returns a text as a value. `is_ascii`: other characters are numbers (\u00e4), which all versions of Java
/// read.
std::string property_value(std::string_view text, bool is_ascii) {
  std::string value;
  const auto units = icu::UnicodeString::fromUTF8({text.data(), static_cast<std::int32_t>(text.size())});
  for (std::int32_t i = 0; i < units.length(); ++i) {
    const char16_t unit = units[i];
    switch (unit) {
      case u'\\':
        value += "\\\\";
        break;
      case u'\n':
        value += "\\n";
        break;
      case u'\t':
        value += "\\t";
        break;
      case u'\r':
        value += "\\r";
        break;
      case u'\f':
        value += "\\f";
        break;
      case u' ':
        value += i == 0 ? "\\ " : " ";
        break;
      default:
        if (unit >= 0x80U && is_ascii) {
          value += fmt::format("\\u{:04x}", static_cast<unsigned>(unit));
        } else {
          const bool is_pair = U16_IS_LEAD(unit) && i + 1 < units.length();
          units.tempSubString(i, is_pair ? 2 : 1).toUTF8String(value);
          if (is_pair) ++i;
        }
    }
  }
  return value;
}

}  // namespace

void translate_properties(const DocumentInput& source, DocumentOutput& output) {
  const bool is_ascii = std::ranges::all_of(source.bytes, [](unsigned char c) { return c < 0x80U; });
  const auto encode = [is_ascii](std::string_view text) { return property_value(text, is_ascii); };
  for (std::string_view rest = source.bytes; !rest.empty();) {
    const std::size_t first = std::min(rest.find_first_not_of(kPropertySpace), rest.size());
    const bool is_comment = first < rest.size() && (rest[first] == '#' || rest[first] == '!');
    const std::size_t size =
        is_comment ? std::min(rest.find_first_of("\r\n"), rest.size()) : size_of_property(rest);
    const std::string_view line = rest.substr(0, size);
    const std::size_t begin = is_comment ? size : begin_of_value(line);
    output.keep(line.substr(0, begin));
    output.put(translated_message(property_text(line.substr(begin)), line.substr(begin), encode, "&"));
    rest.remove_prefix(size);
    if (rest.empty()) break;
    output.keep(take_document_line(rest).end);
  }
}

}  // namespace nmt
