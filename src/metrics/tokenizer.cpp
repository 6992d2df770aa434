#include "metrics/tokenizer.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

#include "common/error.h"
#include "metrics/unicode.h"
#include "metrics/words.h"

namespace nmt {

// Works on bytes: every character with a meaning here is ASCII, and bytes of longer UTF-8 sequences are not.
namespace {

constexpr auto kIsDigit = [](char c) { return c >= '0' && c <= '9'; };
constexpr auto kIsNoDigit = [](char c) { return !kIsDigit(c); };
constexpr auto kIsDash = [](char c) { return c == '-'; };
constexpr auto kIsStop = [](char c) { return c == '.' || c == ','; };

// ASCII punctuation and the space, except ' , - .
constexpr auto kAloneTable = [] {
  std::array<bool, 256> alone{};
  for (const unsigned char c : std::string_view(" !\"#$%&()*+/:;<=>?@[\\]^_`{|}~")) alone[c] = true;
  return alone;
}();

constexpr auto kStandsAlone = [](char c) { return kAloneTable[static_cast<unsigned char>(c)]; };

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string replaced;
  replaced.reserve(text.size());
  for (std::size_t found = text.find(from); found != std::string_view::npos; found = text.find(from)) {
    replaced.append(text.substr(0, found)).append(to);
    text.remove_prefix(found + from.size());
  }
  return replaced.append(text);
}

/// Decodes "&amp;lt;" to "<": the order is part of the definition.
std::string decode_entities(std::string_view text) {
  std::string decoded = replace_all(text, "&quot;", "\"");
  decoded = replace_all(decoded, "&amp;", "&");
  decoded = replace_all(decoded, "&lt;", "<");
  return replace_all(decoded, "&gt;", ">");
}

}  // namespace

std::string space_western(std::string_view line) {
  std::string text = space_each(line, kStandsAlone);
  if (text.find('.') != std::string::npos || text.find(',') != std::string::npos) {
    text = space_pairs<char>(text, kIsNoDigit, kIsStop, Apart::second);
    text = space_pairs<char>(text, kIsStop, kIsNoDigit, Apart::first);
  }
  if (text.find('-') != std::string::npos) text = space_pairs<char>(text, kIsDigit, kIsDash, Apart::second);
  return text;
}

std::string tokenize_13a(std::string_view line) {
  std::string text = replace_all(line, "<skipped>", "");
  if (text.find('\n') != std::string::npos) text = replace_all(replace_all(text, "-\n", ""), "\n", " ");
  if (text.find('&') != std::string::npos) text = decode_entities(text);
  // The spaces let the rules for pairs apply to the first and the last byte.
  return space_western(" " + text + " ");
}

std::string tokenize_intl(std::string_view line) {
  const auto is_no_number = std::not_fn(is_number);
  std::u32string text = code_points(line);
  text = space_pairs<char32_t>(text, is_no_number, is_punctuation, Apart::second);
  text = space_pairs<char32_t>(text, is_punctuation, is_no_number, Apart::first);
  text = space_each<char32_t>(text, is_symbol);
  return utf8(text);
}

namespace {

struct Range {
  char32_t first, last;
};

// The characters that sacrebleu treats as Chinese. Its two ranges beyond the basic plane actually denote
// others within it, so that general punctuation is Chinese and Extension B is not.
constexpr Range kChinese[] = {{0x2001, 0x2A6D}, {0x2E80, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F},
                              {0x31A0, 0x31EF}, {0x3200, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D},
                              {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F},
                              {0xFF00, 0xFFEF}};

bool is_chinese(char32_t character) {
  return std::ranges::any_of(
      kChinese, [=](const Range& range) { return range.first <= character && character <= range.last; });
}

}  // namespace

/// Unlike in 13a, the first and the last character have no neighbor: the stop of "5." is not separated.
std::string tokenize_zh(std::string_view line) {
  return space_western(utf8(space_each<char32_t>(code_points(strip(line)), is_chinese)));
}

namespace {

std::string tokenize_char(std::string_view line) {
  return utf8(space_each<char32_t>(code_points(line), [](char32_t) { return true; }));
}

std::string tokenize_none(std::string_view line) {
  return std::string(line);
}

struct NamedTokenizer {
  const char* name;
  Tokenizer tokenizer;
};

constexpr NamedTokenizer kTokenizers[] = {{"13a", tokenize_13a},
                                          {"intl", tokenize_intl},
                                          {"char", tokenize_char},
                                          {"zh", tokenize_zh},
                                          {"none", tokenize_none}};

}  // namespace

std::vector<std::string> tokenizer_names() {
  std::vector<std::string> names;
  for (const NamedTokenizer& entry : kTokenizers) names.emplace_back(entry.name);
  return names;
}

Tokenizer find_tokenizer(std::string_view name) {
  for (const NamedTokenizer& entry : kTokenizers) {
    if (name == entry.name) return entry.tokenizer;
  }
  throw UsageError("unknown tokenizer '{}'; choose from {}", name, fmt::join(tokenizer_names(), ", "));
}

}  // namespace nmt
